import type { Command } from 'commander';
import { type components, type RunyardClient, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { allPages } from '../server/all-pages.js';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { selectRuns } from '../server/select-run.js';
import { showBatch } from './show-batch.js';
import { spanOfTime } from './span-of-time.js';

type Batch = components['schemas']['BatchRunLifecycleResponse'];

/** The most runs that the server takes at once. */
const MAX_BATCH = 250;

export function addArchive(program: Command, cli: Cli): void {
  program
    .command('archive')
    .description('make runs that are over read-only, out of sight')
    .argument('[run...]', 'ids, beginnings of ids, workflows, or @last')
    .option('--older-than <duration>', 'every run that has been over for so long: 12h, 7d', spanOfTime)
    .addHelpText('after', '\nExample:\n  runyard archive --older-than 7d')
    .action(
      cli.action<{ olderThan?: number }>(async (session, { olderThan }, selectors) => {
        if ((olderThan === undefined) === (selectors.length === 0))
          throw new CliError('Name runs, or give --older-than.', exitCodes.misuse);
        const client = await session.client();
        const ids =
          olderThan === undefined
            ? await selectRuns(client, selectors)
            : await overSince(client, Date.now() - olderThan);
        return showBatch(session, await archive(client, ids));
      }),
    );
  program
    .command('unarchive')
    .description('bring archived runs back')
    .argument('<run...>', 'ids, beginnings of ids, workflows, or @last')
    .addHelpText('after', '\nExample:\n  runyard unarchive @last')
    .action(
      cli.action(async (session, _, selectors) => {
        const client = await session.client();
        const body = { run_ids: await selectRuns(client, selectors) };
        return showBatch(session, await unwrap(client.api.POST('/api/v1/runs/unarchive', { body })));
      }),
    );
}

/** As many requests as it takes, as one result. */
async function archive(client: RunyardClient, ids: readonly string[]): Promise<Batch> {
  const all: Batch = { results: [], summary: { requested: 0, succeeded: 0, failed: 0 } };
  for (let from = 0; from < ids.length; from += MAX_BATCH) {
    const body = { run_ids: ids.slice(from, from + MAX_BATCH) };
    const { results, summary } = await unwrap(client.api.POST('/api/v1/runs/archive', { body }));
    all.results.push(...results);
    for (const count of ['requested', 'succeeded', 'failed'] as const) all.summary[count] += summary[count];
  }
  return all;
}

/** The runs, not archived yet, that ended before this moment. */
async function overSince(client: RunyardClient, beforeMs: number): Promise<string[]> {
  const query = { status: ['succeeded', 'failed'] as ('succeeded' | 'failed')[] };
  const runs = await allPages((page) =>
    unwrap(client.api.GET('/api/v1/runs', { params: { query: { ...query, ...page } } })),
  );
  const isOld = ({ timestamps: { completed_at } }: (typeof runs)[number]): boolean =>
    completed_at !== null && Date.parse(completed_at) < beforeMs;
  return runs.filter(isOld).map(({ id }) => id);
}
