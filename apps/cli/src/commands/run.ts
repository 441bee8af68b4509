import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { follow } from '../follow/follow.js';
import { exitCodes } from '../server/exit-code.js';
import { WORKFLOW_ARGUMENT } from './run-options.js';
import { startRun, submit, type SubmissionOptions, withSubmissionOptions } from './submission.js';

type RunOptions = SubmissionOptions & { detach?: boolean };

export function addRun(program: Command, cli: Cli): void {
  withSubmissionOptions(program.command('run'))
    .description('create a run of a workflow, start it and follow it to its end')
    .argument('<workflow>', WORKFLOW_ARGUMENT)
    .option('-d, --detach', 'print the id and return')
    .addHelpText('after', '\nExample:\n  runyard run deploy.dot --input version=1.4 --label team=web')
    .action(
      cli.action<RunOptions>(async (session, options, [workflow = '']) => {
        const { screen, json } = session;
        const { id } = await submit(session, workflow, options);
        const client = await session.client();
        const run = await startRun(client, id);
        if (!options.detach) return follow(session, client, id, { verbose: options.verbose ?? false });
        if (json) screen.json(run);
        else screen.result(id);
        return exitCodes.done;
      }),
    );
}
