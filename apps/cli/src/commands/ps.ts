import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { listRuns, type RunList } from '../runs/list-runs.js';
import { ACTIVE, type FilterOptions, withFilter } from '../runs/run-filter.js';
import { runTable } from '../runs/run-table.js';
import { exitCodes } from '../server/exit-code.js';
import { selectShownRun } from '../server/select-run.js';
import { counted } from '../terminal/format.js';
import { spanOfTime } from './span-of-time.js';
import { wholeNumber } from './whole-number.js';

interface PsOptions extends FilterOptions {
  all?: boolean;
  unarchived?: boolean;
  parent?: string;
  since?: number;
  limit: number;
  allPages?: boolean;
  after?: string;
  quiet?: boolean;
}

export function addPs(program: Command, cli: Cli): void {
  withFilter(
    program
      .command('ps')
      .alias('list')
      .description('list runs, newest first; active ones unless told otherwise')
      .option('-a, --all', 'ended and archived runs too')
      .option('--unarchived', 'none that is archived'),
    'part',
  )
    .option('--since <duration>', 'created in this last span of time: 90m, 7d', spanOfTime)
    .option('--parent <run>', 'only runs that have this parent')
    .option('--limit <n>', 'how many', wholeNumber, 20)
    .option('--all-pages', 'as many as there are')
    .option('--after <cursor>', 'the next page: what the page before ends with')
    .option('-q, --quiet', 'ids only')
    .addHelpText(
      'after',
      '\nExamples:\n  runyard ps --all --limit 5\n  runyard ps --status failed --unarchived --label team=web --since 7d',
    )
    .action(
      cli.action<PsOptions>(
        async (session, { all = false, unarchived, status, label, workflow, since, ...options }) => {
          const { screen, json } = session;
          const isActiveOnly = status === undefined && !all;
          const client = await session.client();
          const now = Date.now();
          const shown = isActiveOnly ? ACTIVE : status;
          const list = await listRuns(client, {
            filter: {
              ...(shown && { status: shown }),
              ...(unarchived && { archived: false }),
              ...(label && { label }),
              ...(workflow !== undefined && { workflow: { part: workflow } }),
              ...(since !== undefined && { createdSinceMs: now - since }),
            },
            limit: options.allPages ? Infinity : options.limit,
            includeArchived: all && !unarchived,
            parentId: options.parent === undefined ? undefined : await selectShownRun(client, options.parent),
            after: options.after,
          });
          if (json) screen.json(list);
          else if (options.quiet) for (const { id } of list.data) screen.result(id);
          else if (list.data.length > 0) screen.result(runTable(list.data, now, screen.width).join('\n'));
          else screen.hint(isActiveOnly ? 'No active runs. All of them: runyard ps -a' : 'No runs.');
          if (!json && list.meta.has_more) screen.hint(moreHint(list));
          return exitCodes.done;
        },
      ),
    );
}

function moreHint({ data, meta: { total, total_is_lower_bound, next_cursor } }: RunList): string {
  if (next_cursor === undefined) return `The newest ${counted(data.length, 'run')}. More: --limit <n> or --all-pages`;
  const of = total === undefined ? '' : ` of ${total}${total_is_lower_bound ? '+' : ''}`;
  return `${data.length}${of} runs. More: --all-pages, or add --after ${next_cursor}`;
}
