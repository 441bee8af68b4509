import { type Command, Option } from 'commander';
import { type components, unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { selectRun } from '../server/select-run.js';
import { ageText, durationText, oneLine, table } from '../terminal/format.js';
import { wholeNumber } from './whole-number.js';

type Run = components['schemas']['Run'];
type Meta = components['schemas']['RunListMeta'];
type Column = components['schemas']['BoardColumn'];

const ACTIVE: Column[] = ['pending', 'runnable', 'initializing', 'running', 'blocked'];
const COLUMNS: Column[] = [...ACTIVE, 'succeeded', 'failed', 'archived', 'removing'];
const MAX_LIMIT = 100;

interface PsOptions {
  all?: boolean;
  status?: Column[];
  parent?: string;
  limit: number;
  after?: string;
  quiet?: boolean;
}

export function addPs(program: Command, cli: Cli): void {
  program
    .command('ps')
    .alias('list')
    .description('list runs, newest first; active ones unless told otherwise')
    .option('-a, --all', 'ended and archived runs too')
    .addOption(new Option('--status <status...>', 'only runs in these states').choices(COLUMNS))
    .option('--parent <run>', 'only runs that have this parent')
    .option('--limit <n>', `how many, at most ${MAX_LIMIT}`, wholeNumber, 20)
    .option('--after <cursor>', 'the next page: what the page before ends with')
    .option('-q, --quiet', 'ids only')
    .addHelpText('after', '\nExample:\n  runyard ps --all --limit 5')
    .action(
      cli.action<PsOptions>(async (session, { all = false, status, parent, limit, after, quiet }) => {
        const { screen, json } = session;
        const columns = status ?? (all ? undefined : ACTIVE);
        const client = await session.client();
        const ofParent = parent !== undefined && { parent_id: await selectRun(client, parent) };
        const behind = after !== undefined && { cursor: after };
        const query = { limit, include_archived: all, ...(columns && { status: columns }), ...ofParent, ...behind };
        const page = await unwrap(client.api.GET('/api/v1/runs', { params: { query } }));
        if (json) screen.json(page);
        else if (quiet) for (const { id } of page.data) screen.result(id);
        else if (page.data.length > 0) screen.result(runTable(page.data, Date.now(), screen.width).join('\n'));
        else screen.hint(columns === ACTIVE ? 'No active runs. All of them: runyard ps -a' : 'No runs.');
        if (!json && page.meta.next_cursor !== undefined) screen.hint(moreHint(page.meta, limit));
        return exitCodes.done;
      }),
    );
}

function moreHint({ total, total_is_lower_bound, next_cursor }: Meta, limit: number): string {
  const of = `${total}${total_is_lower_bound ? '+' : ''}`;
  return `${limit} of ${of} runs. More: add --after ${next_cursor}`;
}

/** The runs as a table, at a moment. */
function runTable(runs: readonly Run[], nowMs: number, width: number): string[] {
  const heads = ['ID', 'WORKFLOW', 'STATUS', 'CREATED', 'DURATION', 'TITLE'];
  const rows = runs.map(({ id, workflow, lifecycle, timestamps, timing, title }) => [
    id,
    oneLine(workflow.slug ?? workflow.graph_name ?? '', 24),
    statusText(lifecycle),
    ageText(nowMs - Date.parse(timestamps.created_at)),
    timing ? durationText(timing.wall_time_ms) : '-',
    oneLine(title, 80),
  ]);
  return table([heads, ...rows]).map((line) => oneLineOf(line, width));
}

/** The state in a word or two, or the reason where that says more: `cancelled`, `runnable #3`, `failed (archived)`. */
export function statusText(lifecycle: Run['lifecycle']): string {
  const state = stateText(lifecycle);
  return lifecycle.archived ? `${state} (archived)` : state;
}

function stateText({ status, queue_position, pending_control }: Run['lifecycle']): string {
  if (pending_control !== null) return `${status.kind} (${pending_control} asked for)`;
  if (status.kind === 'failed' && status.reason === 'cancelled') return 'cancelled';
  return status.kind === 'runnable' && queue_position !== null ? `runnable #${queue_position}` : status.kind;
}

function oneLineOf(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}
