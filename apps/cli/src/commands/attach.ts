import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { follow } from '../follow/follow.js';
import { RUN_SHOWN, selectShownRun } from '../server/select-run.js';
import { wholeNumber } from './whole-number.js';

interface AttachOptions {
  sinceSeq?: number;
  verbose?: boolean;
}

export function addAttach(program: Command, cli: Cli): void {
  program
    .command('attach')
    .description('show a run from its beginning and follow it to its end')
    .argument('<run>', RUN_SHOWN)
    .option('--since-seq <n>', 'begin with this event', wholeNumber)
    .option('-v, --verbose', 'show every event')
    .addHelpText('after', '\nExample:\n  runyard attach @last')
    .action(
      cli.action<AttachOptions>(async (session, { sinceSeq = 1, verbose = false }, [selector = '']) => {
        const client = await session.client();
        const id = await selectShownRun(client, selector);
        return follow(session, client, id, { sinceSeq, verbose });
      }),
    );
}
