import type { Command } from 'commander';
import { type components, RunyardApiError, type RunyardClient, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { RUN, selectRun } from '../server/select-run.js';
import { controlled, present } from './controlled.js';
import { statusResult } from './status-result.js';

type Run = components['schemas']['Run'];

export function addPause(program: Command, cli: Cli): void {
  program
    .command('pause')
    .description('pause a run at its next safe point')
    .argument('<run>', RUN)
    .option('--wait', 'return when it is paused')
    .addHelpText('after', '\nExample:\n  runyard pause @last')
    .action(
      cli.action<{ wait?: boolean }>(async (session, { wait }, [selector = '']) => {
        const client = await session.client();
        const id = await selectRun(client, selector);
        const run = wait ? await controlled(client, await pauseOrPending(client, id)) : await pause(client, id);
        statusResult(session, run);
        return wait && run.lifecycle.status.kind !== 'paused' ? exitCodes.failed : exitCodes.done;
      }),
    );
}

function pause(client: RunyardClient, id: string): Promise<Run> {
  return unwrap(client.api.POST('/api/v1/runs/{id}/pause', { params: { path: { id } } }));
}

/** Asks the run to pause; that it was asked before, or is paused already, comes to the same. */
async function pauseOrPending(client: RunyardClient, id: string): Promise<Run> {
  try {
    return await pause(client, id);
  } catch (thrown) {
    if (!(thrown instanceof RunyardApiError) || thrown.status !== 409) throw thrown;
    const run = await present(client, id);
    if (run.lifecycle.pending_control === 'pause' || run.lifecycle.status.kind === 'paused') return run;
    throw thrown;
  }
}
