import type { Command } from 'commander';
import { type components, type RunyardClient, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { selectRuns } from '../server/select-run.js';
import { showBatch } from './show-batch.js';

type Batch = components['schemas']['BatchRunLifecycleResponse'];

export function addArchive(program: Command, cli: Cli): void {
  addMarking(program, cli, 'archive', 'make runs that are over read-only, out of sight', (client, run_ids) =>
    unwrap(client.api.POST('/api/v1/runs/archive', { body: { run_ids } })),
  );
  addMarking(program, cli, 'unarchive', 'bring archived runs back', (client, run_ids) =>
    unwrap(client.api.POST('/api/v1/runs/unarchive', { body: { run_ids } })),
  );
}

function addMarking(
  program: Command,
  cli: Cli,
  name: 'archive' | 'unarchive',
  description: string,
  mark: (client: RunyardClient, ids: string[]) => Promise<Batch>,
): void {
  program
    .command(name)
    .description(description)
    .argument('<run...>', 'ids, beginnings of ids, workflows, or @last')
    .addHelpText('after', `\nExample:\n  runyard ${name} @last`)
    .action(
      cli.action(async (session, _, selectors) => {
        const client = await session.client();
        const batch = await mark(client, await selectRuns(client, selectors));
        return showBatch(session, batch);
      }),
    );
}
