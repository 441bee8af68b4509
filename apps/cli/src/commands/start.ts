import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { RUN, selectRun } from '../server/select-run.js';
import { statusResult } from './status-result.js';
import { startRun } from './submission.js';

export function addStart(program: Command, cli: Cli): void {
  program
    .command('start')
    .description('start a created run')
    .argument('<run>', RUN)
    .addHelpText('after', '\nExample:\n  runyard start "$(runyard create deploy.dot)"')
    .action(
      cli.action(async (session, _, [selector = '']) => {
        const client = await session.client();
        const run = await startRun(client, await selectRun(client, selector));
        statusResult(session, run);
        return exitCodes.done;
      }),
    );
}
