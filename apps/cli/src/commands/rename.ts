import type { Command } from 'commander';
import { unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { RUN, selectRun } from '../server/select-run.js';
import { oneLine } from '../terminal/format.js';

export function addRename(program: Command, cli: Cli): void {
  program
    .command('rename')
    .description('give a run another title')
    .argument('<run>', RUN)
    .argument('<title>', 'one line of at most 100 characters')
    .addHelpText('after', '\nExample:\n  runyard rename @last "release 1.4, second try"')
    .action(
      cli.action(async (session, _, [selector = '', title = '']) => {
        const client = await session.client();
        const path = { id: await selectRun(client, selector) };
        const run = await unwrap(client.api.PATCH('/api/v1/runs/{id}', { params: { path }, body: { title } }));
        if (session.json) session.screen.json(run);
        else session.screen.result(`${run.id}  ${oneLine(run.title, Infinity)}`);
        return exitCodes.done;
      }),
    );
}
