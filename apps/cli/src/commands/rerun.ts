import { Option, type Command } from 'commander';
import type { Cli } from '../cli.js';
import { showRun } from '../follow/follow.js';
import { exitCodes } from '../server/exit-code.js';
import { RUN, selectRun } from '../server/select-run.js';
import { beforeFailure } from './before-failure.js';
import { type FollowFlags, followStyle, withFollowOptions } from './follow-options.js';
import { editsOf, forkRun, type ForkOptions, TARGET, withForkOptions } from './fork-options.js';
import { forkText } from './fork.js';
import { startRun } from './submission.js';

interface RerunOptions extends ForkOptions, FollowFlags {
  from?: string;
  onlyFailed?: boolean;
  detach?: boolean;
}

export function addRerun(program: Command, cli: Cli): void {
  withFollowOptions(withForkOptions(program.command('rerun')))
    .description('fork a run, start the fork and follow it to its end')
    .argument('<run>', RUN)
    .option('--from <target>', `go on behind this checkpoint: ${TARGET}; the latest when absent`)
    .addOption(
      new Option('--only-failed', 'go on with the first stage that failed and did not succeed later').conflicts([
        'from',
      ]),
    )
    .option('-d, --detach', 'print the id of the new run and return')
    .addHelpText('after', '\nExample:\n  runyard rerun @last --from plan --with-source workflow.dot')
    .action(
      cli.action<RerunOptions>(async (session, { onlyFailed, detach, ...options }, [selector = '']) => {
        const { screen, json, surroundings } = session;
        const client = await session.client();
        const id = await selectRun(client, selector);
        const from = onlyFailed ? await beforeFailure(client, id) : options.from;
        const fork = await forkRun(client, id, from, await editsOf(options, surroundings.cwd), options);
        const run = await startRun(client, fork.new_run_id);
        if (!json) screen.hint(forkText(fork));
        if (!detach) return showRun(session, client, run.id, followStyle(options));
        if (json) screen.json(run);
        else screen.result(run.id);
        return exitCodes.done;
      }),
    );
}
