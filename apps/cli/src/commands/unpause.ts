import type { Command } from 'commander';
import { unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { selectRun } from '../server/select-run.js';
import { statusResult } from './status-result.js';

export function addUnpause(program: Command, cli: Cli): void {
  program
    .command('unpause')
    .description('let a paused run go on')
    .argument('<run>', 'id, beginning of an id, workflow, or @last')
    .addHelpText('after', '\nExample:\n  runyard unpause @last')
    .action(
      cli.action(async (session, _, [selector = '']) => {
        const client = await session.client();
        const path = { id: await selectRun(client, selector) };
        statusResult(session, await unwrap(client.api.POST('/api/v1/runs/{id}/unpause', { params: { path } })));
        return exitCodes.done;
      }),
    );
}
