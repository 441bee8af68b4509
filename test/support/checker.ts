import type { RunKey } from '#libs/engine';
import { isTerminal, isTerminalEvent, type RunStatusKind } from '#libs/events';
import type { RunViews } from '#libs/persistence';
import pg from 'pg';

/** An event as the checker reads it. */
export interface LoggedEvent {
  seq: number;
  /** Null where no worker wrote it. */
  epoch: number | null;
  event: string;
  storedAtMs: number;
  stageId?: string | undefined;
  attemptId?: string | undefined;
  handler?: string | undefined;
  willRetry?: boolean | undefined;
}

/** The only things that may be said about a run that is over. */
const HOUSEKEEPING: ReadonlySet<string> = new Set([
  'run.removing',
  'run.title.updated',
  'run.archived',
  'run.unarchived',
  'run.parent.linked',
  'run.parent.unlinked',
  'run.superseded_by',
]);

/** What must hold of a run's log, whoever died while it was written. Returns what does not. */
export function faultsOfLog(log: readonly LoggedEvent[], over: boolean): string[] {
  return [...order(log), ...ending(log, over), ...blocking(log), ...stages(log)];
}

function* order(log: readonly LoggedEvent[]): Generator<string> {
  let epoch = 0;
  for (const [index, event] of log.entries()) {
    if (event.seq !== index + 1) yield `seq ${event.seq} stands in place ${index + 1}`;
    if (event.epoch === null) continue;
    if (event.epoch < epoch) yield `epoch ${event.epoch} writes seq ${event.seq} after epoch ${epoch}`;
    epoch = Math.max(epoch, event.epoch);
  }
}

/** One end for each generation: only a run that failed can be started again, which begins the next one. */
function* ending(log: readonly LoggedEvent[], over: boolean): Generator<string> {
  let end: string | null = null;
  for (const { seq, event } of log) {
    if (end === 'run.failed' && event === 'run.start_requested') end = null;
    else if (end !== null && !HOUSEKEEPING.has(event)) yield `${event} (${seq}) follows the end`;
    else if (isTerminalEvent(event)) end = event;
  }
  if (over && end === null) yield 'the run is over, and its log has no end';
  if (!over && end !== null) yield `the run is not over, and its log ends with ${end}`;
}

/** The first question blocks a run, and the end of the last one lets it go on: neither is said twice in a row. */
function* blocking(log: readonly LoggedEvent[]): Generator<string> {
  let last = 'run.unblocked';
  for (const { seq, event } of log) {
    if (event === 'run.submitted') last = 'run.unblocked';
    if (event !== 'run.blocked' && event !== 'run.unblocked') continue;
    if (event === last) yield `${event} (${seq}) follows ${last}`;
    last = event;
  }
}

function* stages(log: readonly LoggedEvent[]): Generator<string> {
  const closed = new Set<string>();
  const attempts = new Set<string>();
  for (const { seq, event, stageId = '', attemptId = '', willRetry } of log) {
    if (event === 'stage.started') {
      if (closed.has(stageId)) yield `${stageId} is executed again (${seq}) after its outcome was recorded`;
      if (attempts.has(attemptId)) yield `attempt ${attemptId} is started again (${seq})`;
      attempts.add(attemptId);
    } else if (event === 'stage.completed' || (event === 'stage.failed' && willRetry === false)) {
      if (closed.has(stageId)) yield `${stageId} has a second outcome (${seq})`;
      closed.add(stageId);
    }
  }
}

/** The most runs whose commands were at work at one moment, as the database saw it. */
export function mostAtOnce(logs: readonly (readonly LoggedEvent[])[]): number {
  const steps = logs.flatMap((log) =>
    workingTimes(log).flatMap(([from, to]) => [[from, 1] as const, [to, -1] as const]),
  );
  steps.sort(([a, step], [b, other]) => a - b || step - other);
  let now = 0;
  return steps.reduce((most, [, step]) => Math.max(most, (now += step)), 0);
}

/** From the start of each command stage to its end; who takes a stage over goes on with it. */
function workingTimes(log: readonly LoggedEvent[]): [number, number][] {
  const times: [number, number][] = [];
  let since: number | undefined;
  for (const { event, handler, storedAtMs } of log) {
    if (event === 'stage.started' && handler === 'command') since ??= storedAtMs;
    if (since === undefined || !['stage.completed', 'stage.failed'].includes(event)) continue;
    times.push([since, storedAtMs]);
    since = undefined;
  }
  return times;
}

interface Head extends RunKey {
  status: RunStatusKind;
  slot: string;
  nextSeq: number;
}

export interface CheckOptions {
  views: RunViews;
  /** Runs that may execute at once. */
  limit: number;
}

/** Checks every run of a database. What it returns is empty when all promises were kept. */
export async function faultsIn(databaseUrl: string, { views, limit }: CheckOptions): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const faults: string[] = [];
    const logs: LoggedEvent[][] = [];
    for (const head of await headsOf(client)) {
      const log = await logOf(client, head);
      logs.push(log);
      const over = isTerminal(head.status);
      const own = [
        ...faultsOfLog(log, over),
        ...headFaults(head, log, over),
        ...(await viewFaults(client, views, head)),
      ];
      faults.push(...own.map((fault) => `${head.runId}: ${fault}`));
    }
    const most = mostAtOnce(logs);
    if (most > limit) faults.push(`${most} runs executed at once under a limit of ${limit}`);
    return faults;
  } finally {
    await client.end();
  }
}

function* headFaults({ slot, nextSeq }: Head, log: readonly LoggedEvent[], over: boolean): Generator<string> {
  if (nextSeq !== log.length + 1) yield `the head expects seq ${nextSeq} after ${log.length} events`;
  if (over && slot !== 'none') yield `the run is over and its slot is ${slot}`;
}

/** Read models are disposable: built again from the log they are the same. */
async function viewFaults(client: pg.Client, views: RunViews, run: RunKey): Promise<string[]> {
  await views.catchUp([run]);
  const stored = await rowsOf(client, run);
  await views.rebuild(run);
  return stored === (await rowsOf(client, run)) ? [] : ['its stored views are not those of its log'];
}

async function headsOf(client: pg.Client): Promise<Head[]> {
  const { rows } = await client.query<Head>(
    `SELECT tenant_id AS "tenantId", run_id AS "runId", status, slot, next_seq::int AS "nextSeq" FROM run_heads ORDER BY run_id`,
  );
  return rows;
}

async function logOf(client: pg.Client, { tenantId, runId }: RunKey): Promise<LoggedEvent[]> {
  const { rows } = await client.query<LoggedEvent>(
    `SELECT seq::int, epoch::int, event, (extract(epoch FROM stored_at) * 1000)::float AS "storedAtMs",
            body->>'stage_id' AS "stageId", body->'properties'->>'attempt_id' AS "attemptId",
            body->'properties'->>'handler_type' AS handler, (body->'properties'->>'will_retry')::boolean AS "willRetry"
       FROM run_events WHERE tenant_id = $1 AND run_id = $2 ORDER BY seq`,
    [tenantId, runId],
  );
  return rows.map((row) => ({ ...row, stageId: row.stageId ?? undefined, attemptId: row.attemptId ?? undefined }));
}

async function rowsOf(client: pg.Client, { tenantId, runId }: RunKey): Promise<string> {
  const key = [tenantId, runId];
  const run = await client.query('SELECT * FROM run_views WHERE tenant_id = $1 AND run_id = $2', key);
  const stages = await client.query(
    'SELECT * FROM stage_views WHERE tenant_id = $1 AND run_id = $2 ORDER BY first_seq, stage_id',
    key,
  );
  return JSON.stringify([run.rows, stages.rows]);
}
