import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { VERBOSE } from './follow-options.js';
import { WORKFLOW_ARGUMENT } from './run-options.js';
import { submit, type SubmissionOptions, withSubmissionOptions } from './submission.js';

export function addCreate(program: Command, cli: Cli): void {
  withSubmissionOptions(program.command('create'))
    .description('create a run without starting it, and print its id')
    .argument('<workflow>', WORKFLOW_ARGUMENT)
    .option(...VERBOSE)
    .addHelpText('after', '\nExample:\n  runyard create deploy.dot --title "release 1.4"')
    .action(
      cli.action<SubmissionOptions>(async (session, options, [workflow = '']) => {
        const run = await submit(session, workflow, options);
        if (session.json) session.screen.json(run);
        else session.screen.result(run.id);
        return exitCodes.done;
      }),
    );
}
