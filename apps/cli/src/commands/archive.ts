import type { Command } from 'commander';
import { unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { inBatches } from '../runs/batches.js';
import { type ChoiceOptions, chosenRuns, withChoice } from '../runs/chosen-runs.js';
import { confirmed } from '../runs/confirmed.js';
import { exitCodes } from '../server/exit-code.js';
import { RUNS, selectRuns } from '../server/select-run.js';
import { counted } from '../terminal/format.js';
import { showBatch } from './show-batch.js';

/** The most runs that the server takes at once. */
const MAX_BATCH = 250;

export function addArchive(program: Command, cli: Cli): void {
  withChoice(program.command('archive'))
    .description('make runs that are over read-only, out of sight')
    .addHelpText('after', '\nExamples:\n  runyard archive @last\n  runyard archive --older-than 7d --yes')
    .action(
      cli.action<ChoiceOptions>(async (session, options, selectors) => {
        const client = await session.client();
        const { ids, lines, byFilter } = await chosenRuns(client, selectors, options, { inSight: true });
        const what = `This archives ${counted(ids.length, 'run')}:`;
        if (byFilter && ids.length > 0 && !(await confirmed(session, options.yes ?? false, what, lines)))
          return exitCodes.done;
        const archive = (run_ids: string[]) => unwrap(client.api.POST('/api/v1/runs/archive', { body: { run_ids } }));
        return showBatch(session, await inBatches(ids, MAX_BATCH, archive));
      }),
    );
  program
    .command('unarchive')
    .description('bring archived runs back')
    .argument('<run...>', RUNS)
    .addHelpText('after', '\nExample:\n  runyard unarchive @last')
    .action(
      cli.action(async (session, _, selectors) => {
        const client = await session.client();
        const body = { run_ids: await selectRuns(client, selectors) };
        return showBatch(session, await unwrap(client.api.POST('/api/v1/runs/unarchive', { body })));
      }),
    );
}
