import { ageText, durationText, oneLine, table } from '../terminal/format.js';
import { endOf, type Run } from './run-filter.js';

/** From this width on ids are whole; below, beginnings of them name runs as well. */
const WIDE = 120;
/** From this width on there is room for times beside the title. */
const MEDIUM = 72;
/** The time in an id takes ten characters; four more tell runs of a moment apart. */
const LEAST_OF_ID = 14;

/** Runs as a table, at a moment. A narrow one keeps the title and loses times. */
export function runTable(runs: readonly Run[], nowMs: number, width: number): string[] {
  const name = width < WIDE ? shortened(runs.map(({ id }) => id)) : (id: string) => id;
  const hasTimes = width >= MEDIUM;
  const hasLabels = width >= WIDE && runs.some(({ labels }) => Object.keys(labels).length > 0);
  const times = hasTimes ? ['CREATED', 'DURATION'] : [];
  const heads = ['ID', 'WORKFLOW', 'STATUS', ...times, ...(hasLabels ? ['LABELS'] : []), 'TITLE'];
  const rows = runs.map((run) => [
    name(run.id),
    oneLine(run.workflow.slug ?? run.workflow.graph_name ?? '', hasTimes ? 24 : 12),
    statusText(run.lifecycle),
    ...(hasTimes ? timesOf(run, nowMs) : []),
    ...(hasLabels ? [oneLine(labelsText(run), 40)] : []),
    oneLine(run.title, 80),
  ]);
  return table([heads, ...rows]).map((line) => (line.length <= width ? line : `${line.slice(0, width - 1)}…`));
}

/** `team=web tier=1` */
export function labelsText({ labels }: Run): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

/** The state in a word or two, or the reason where that says more: `cancelled`, `runnable #3`, `failed (archived)`. */
export function statusText(lifecycle: Run['lifecycle']): string {
  const state = stateText(lifecycle);
  return lifecycle.archived ? `${state} (archived)` : state;
}

function stateText(lifecycle: Run['lifecycle']): string {
  const { status, queue_position, pending_control } = lifecycle;
  if (pending_control !== null) return `${status.kind} (${pending_control} asked for)`;
  if (endOf({ lifecycle }) === 'cancelled') return 'cancelled';
  return status.kind === 'runnable' && queue_position !== null ? `runnable #${queue_position}` : status.kind;
}

function timesOf({ timestamps, timing }: Run, nowMs: number): string[] {
  return [ageText(nowMs - Date.parse(timestamps.created_at)), timing ? durationText(timing.wall_time_ms) : '-'];
}

/** Cuts ids to beginnings that are all different. */
function shortened(ids: readonly string[]): (id: string) => string {
  const different = new Set(ids).size;
  let length = LEAST_OF_ID;
  while (new Set(ids.map((id) => id.slice(0, length))).size < different) length += 1;
  return (id) => id.slice(0, length);
}
