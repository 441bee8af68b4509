import type { Command } from 'commander';
import { type components, followRun, RunyardApiError, type RunyardClient, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { RUNS, selectRun } from '../server/select-run.js';
import { endOf } from '../runs/run-filter.js';
import { statusText } from '../runs/run-table.js';
import { plainText } from '../terminal/format.js';
import { present } from './controlled.js';

type Run = components['schemas']['Run'];

interface CancelOptions {
  wait?: boolean;
  ifActive?: boolean;
}

export function addCancel(program: Command, cli: Cli): void {
  program
    .command('cancel')
    .description('ask runs to end')
    .argument('<run...>', RUNS)
    .option('--wait', 'return when they have ended')
    .option('--if-active', 'a run that has ended already is no mistake')
    .addHelpText('after', '\nExample:\n  runyard cancel @last --wait')
    .action(
      cli.action<CancelOptions>(async (session, { wait, ifActive }, selectors) => {
        const { screen, json } = session;
        const client = await session.client();
        const ids = await Promise.all(selectors.map((selector) => selectRun(client, selector)));
        const runs: Run[] = [];
        let refused = false;
        for (const id of new Set(ids)) {
          try {
            const run = await cancelRun(client, id);
            runs.push(wait ? await ended(client, id) : run);
          } catch (thrown) {
            if (!(thrown instanceof RunyardApiError) || thrown.status !== 409) throw thrown;
            const { lifecycle } = await present(client, id);
            screen.hint(
              endOf({ lifecycle }) ? `Run ${id} is over: ${statusText(lifecycle)}.` : plainText(thrown.detail),
            );
            refused ||= !ifActive;
          }
        }
        if (json) screen.json(runs);
        else for (const run of runs) screen.result(`${run.id}  ${statusText(run.lifecycle)}`);
        return refused ? exitCodes.failed : exitCodes.done;
      }),
    );
}

function cancelRun(client: RunyardClient, id: string): Promise<Run> {
  return unwrap(client.api.POST('/api/v1/runs/{id}/cancel', { params: { path: { id } } }));
}

/** The run when it is over. */
async function ended(client: RunyardClient, id: string): Promise<Run> {
  for await (const _ of followRun(client, id));
  return present(client, id);
}
