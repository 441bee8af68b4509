import type { Command } from 'commander';
import type { RunyardClient } from '#libs/api-client';
import { spanOfTime } from '../commands/span-of-time.js';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { RUNS, selectRuns } from '../server/select-run.js';
import { listRuns } from './list-runs.js';
import { ENDED, type FilterOptions, type RunFilter, withFilter } from './run-filter.js';
import { statusText } from './run-table.js';

/** The flags of a command that takes runs by name, or all that are of a kind. */
export interface ChoiceOptions extends FilterOptions {
  olderThan?: number;
  yes?: boolean;
}

/** Runs that were chosen: their ids, and a line about each for a person who is asked. */
export interface ChosenRuns {
  ids: string[];
  lines: string[];
  byFilter: boolean;
}

export function withChoice(command: Command): Command {
  return withFilter(
    command
      .argument('[run...]', `${RUNS}; or choose with the flags below`)
      .option('--older-than <duration>', 'every run that has been over for so long: 12h, 7d', spanOfTime),
    'name',
  ).option('--yes', 'do it without asking');
}

/** The runs that are named, or all that the flags choose; where they name no state, all that have ended. */
export async function chosenRuns(
  client: RunyardClient,
  selectors: readonly string[],
  { olderThan, status, label, workflow }: ChoiceOptions,
  { archived }: Pick<RunFilter, 'archived'> = {},
): Promise<ChosenRuns> {
  const byFilter = [olderThan, status, label, workflow].some((flag) => flag !== undefined);
  if (byFilter === selectors.length > 0)
    throw new CliError(
      'Name runs, or choose them with --older-than, --status, --label or --workflow.',
      exitCodes.misuse,
    );
  if (!byFilter) {
    const ids = await selectRuns(client, selectors);
    return { ids, lines: ids, byFilter };
  }
  const filter = {
    status: status ?? ENDED,
    ...(archived !== undefined && { archived }),
    ...(label && { label }),
    ...(workflow !== undefined && { workflow: { name: workflow } }),
    ...(olderThan !== undefined && { endedBeforeMs: Date.now() - olderThan }),
  };
  const { data } = await listRuns(client, { filter, limit: Infinity });
  return {
    ids: data.map(({ id }) => id),
    lines: data.map(({ id, workflow: { slug, graph_name }, lifecycle }) =>
      [id, slug ?? graph_name ?? '-', statusText(lifecycle)].join('  '),
    ),
    byFilter,
  };
}
