import type { Command } from 'commander';
import { unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { RUN, selectRun } from '../server/select-run.js';
import { controlled } from './controlled.js';
import { statusResult } from './status-result.js';

export function addUnpause(program: Command, cli: Cli): void {
  program
    .command('unpause')
    .description('let a paused run go on')
    .argument('<run>', RUN)
    .option('--wait', 'return when it goes on')
    .addHelpText('after', '\nExample:\n  runyard unpause @last')
    .action(
      cli.action<{ wait?: boolean }>(async (session, { wait }, [selector = '']) => {
        const client = await session.client();
        const path = { id: await selectRun(client, selector) };
        const asked = await unwrap(client.api.POST('/api/v1/runs/{id}/unpause', { params: { path } }));
        const run = wait ? await controlled(client, asked) : asked;
        statusResult(session, run);
        return exitCodes.done;
      }),
    );
}
