import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { followUntil } from '../follow/follow.js';
import { type ExitCode, exitCodes } from '../server/exit-code.js';
import type { Session } from '../session.js';
import { interruptible } from '../terminal/interruptible.js';
import { type FollowFlags, followStyle, withFollowOptions } from './follow-options.js';
import { WORKFLOW_ARGUMENT } from './run-options.js';
import { startRun, submit, type SubmissionOptions, withSubmissionOptions } from './submission.js';

type RunOptions = SubmissionOptions & FollowFlags & { detach?: boolean };

export function addRun(program: Command, cli: Cli): void {
  withFollowOptions(withSubmissionOptions(program.command('run')))
    .description('create a run of a workflow, start it and follow it to its end')
    .argument('<workflow>', WORKFLOW_ARGUMENT)
    .option('-d, --detach', 'print the id and return')
    .addHelpText('after', '\nExample:\n  runyard run deploy.dot --input version=1.4 --label team=web')
    .action(
      cli.action<RunOptions>((session, options, [workflow = '']) =>
        interruptible((signal) => run(signal, session, workflow, options)),
      ),
    );
}

/** Nobody is left with a run that they were not told of: Ctrl-C before it is created makes none, later it is named. */
async function run(signal: AbortSignal, session: Session, workflow: string, options: RunOptions): Promise<ExitCode> {
  const { screen, json } = session;
  const { id } = await submit(session, workflow, options, signal);
  if (signal.aborted) {
    screen.hint(`\nrun ${id} is created and not started\n  → runyard start ${id}\n  → runyard rm ${id}`);
    return exitCodes.interrupted;
  }
  const client = await session.client();
  const started = await startRun(client, id);
  if (!options.detach) return followUntil(signal, session, client, id, followStyle(options));
  if (json) screen.json(started);
  else screen.result(id);
  return exitCodes.done;
}
