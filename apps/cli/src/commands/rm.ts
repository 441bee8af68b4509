import type { Command } from 'commander';
import { unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { inBatches } from '../runs/batches.js';
import { type ChoiceOptions, chosenRuns, withChoice } from '../runs/chosen-runs.js';
import { confirmed } from '../runs/confirmed.js';
import { exitCodes } from '../server/exit-code.js';
import { counted } from '../terminal/format.js';
import { showBatch } from './show-batch.js';

/** How many runs are removed with one request: each takes its time. */
export const REMOVED_AT_ONCE = 100;

export function addRm(program: Command, cli: Cli): void {
  withChoice(program.command('rm'))
    .description('remove runs with all that is stored of them')
    .option('-f, --force', 'active runs too: they are cancelled first')
    .addHelpText('after', '\nExamples:\n  runyard rm @last\n  runyard rm --status failed --older-than 30d --yes')
    .action(
      cli.action<ChoiceOptions & { force?: boolean }>(async (session, options, selectors) => {
        const { force = false, yes = false } = options;
        const client = await session.client();
        const { ids, lines } = await chosenRuns(client, selectors, options);
        const what = `This removes ${counted(ids.length, 'run')} for good, with events and outputs:`;
        if (ids.length > 0 && !(await confirmed(session, yes, what, lines))) return exitCodes.done;
        const remove = (run_ids: string[]) =>
          unwrap(client.api.POST('/api/v1/runs/delete', { body: { run_ids, force } }));
        return showBatch(session, await inBatches(ids, REMOVED_AT_ONCE, remove));
      }),
    );
}
