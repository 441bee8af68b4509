import type { Command } from 'commander';
import { unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { showRun } from '../follow/follow.js';
import { exitCodes } from '../server/exit-code.js';
import { RUN, selectRun } from '../server/select-run.js';
import { type FollowFlags, followStyle, withFollowOptions } from './follow-options.js';
import { editsOf, keyHeader, type KeyOption, withKeyOption } from './fork-options.js';
import { AUTO_APPROVE, type TypedInput, withInputs } from './run-options.js';

interface RetryOptions extends KeyOption, FollowFlags {
  input: TypedInput[];
  model?: string;
  autoApprove?: boolean;
  detach?: boolean;
}

export function addRetry(program: Command, cli: Cli): void {
  withFollowOptions(withKeyOption(withInputs(program.command('retry'))))
    .description('try a run that is over again, as a new run, and follow it to its end')
    .argument('<run>', RUN)
    .option('--model <name>', 'the model that its stages use')
    .option(...AUTO_APPROVE)
    .option('-d, --detach', 'print the id of the new run and return')
    .addHelpText('after', '\nExample:\n  runyard retry @last')
    .action(
      cli.action<RetryOptions>(async (session, { detach, ...options }, [selector = '']) => {
        const { screen, json, surroundings } = session;
        const client = await session.client();
        const params = { path: { id: await selectRun(client, selector) }, header: keyHeader(options) };
        const edits = await editsOf(options, surroundings.cwd);
        const body = Object.keys(edits).length > 0 ? { edits } : {};
        const run = await unwrap(client.api.POST('/api/v1/runs/{id}/retry', { params, body }));
        if (!detach) return showRun(session, client, run.id, followStyle(options));
        if (json) screen.json(run);
        else screen.result(run.id);
        return exitCodes.done;
      }),
    );
}
