import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { showRun } from '../follow/follow.js';
import { RUN_SHOWN, selectShownRun } from '../server/select-run.js';
import { type FollowFlags, followStyle, withFollowOptions } from './follow-options.js';
import { wholeNumber } from '../options/whole-number.js';

interface AttachOptions extends FollowFlags {
  sinceSeq?: number;
}

export function addAttach(program: Command, cli: Cli): void {
  withFollowOptions(program.command('attach'))
    .description('show a run from its beginning and follow it to its end')
    .argument('<run>', RUN_SHOWN)
    .option('--since-seq <n>', 'begin with this event', wholeNumber)
    .addHelpText('after', '\nExample:\n  runyard attach @last')
    .action(
      cli.action<AttachOptions>(async (session, { sinceSeq = 1, ...options }, [selector = '']) => {
        const client = await session.client();
        const id = await selectShownRun(client, selector);
        return showRun(session, client, id, { sinceSeq, ...followStyle(options) });
      }),
    );
}
