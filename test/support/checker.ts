import type { RunKey } from '#libs/engine';
import { isTerminal } from '#libs/events';
import type { RunViews } from '#libs/persistence';
import pg from 'pg';
import { deadlineFaults } from './checker/deadline-faults.js';
import { faultsOfLog } from './checker/log-faults.js';
import type { CheckedHead, CheckedRun, LoggedEvent } from './checker/logged-event.js';
import { mostAtOnce, startOrderFaults } from './checker/schedule-faults.js';
import { shareFaults } from './checker/share-faults.js';
import { standstillFaults } from './checker/standstill-faults.js';

/** How long a run may hold a slot in silence; no command of a spec takes as long. */
const STANDSTILL_MS = 60_000;

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
    const runs = await runsOf(client);
    const standstill = { nowMs: await nowOf(client), boundMs: STANDSTILL_MS };
    for (const { head, log } of runs) {
      const over = isTerminal(head.status);
      const own = [
        ...faultsOfLog(log, over),
        ...deadlineFaults(log),
        ...headFaults(head, log, over),
        ...standstillFaults(head, log, standstill),
        ...(await viewFaults(client, views, head)),
      ];
      faults.push(...own.map((fault) => `${head.runId}: ${fault}`));
    }
    const most = mostAtOnce(runs.map(({ log }) => log));
    if (most > limit) faults.push(`${most} runs executed at once under a limit of ${limit}`);
    return [...faults, ...startOrderFaults(runs), ...shareFaults(runs)];
  } finally {
    await client.end();
  }
}

/** Every run of a database with its log, all as they were at one moment: some may still be at work. */
export async function runsOf(client: pg.Client): Promise<CheckedRun[]> {
  const runs: CheckedRun[] = [];
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  for (const head of await headsOf(client)) runs.push({ head, log: await logOf(client, head) });
  await client.query('COMMIT');
  return runs;
}

/** What must hold of a run's head beside its log. */
export function* headFaults(
  { slot, nextSeq, hasDefinitions }: CheckedHead,
  log: readonly LoggedEvent[],
  over: boolean,
): Generator<string> {
  if (!hasDefinitions) yield 'its specification or its manifest is not stored';
  if (nextSeq !== log.length + 1) yield `the head expects seq ${nextSeq} after ${log.length} events`;
  if (over && slot !== 'none') yield `the run is over and its slot is ${slot}`;
}

/**
 * Read models are disposable: built again from the log they are the same, and the head says what they say. Nothing is
 * said of a run that went on since its head was read.
 */
async function viewFaults(client: pg.Client, views: RunViews, head: CheckedHead): Promise<string[]> {
  await views.catchUp([head]);
  const stored = await rowsOf(client, head);
  await views.rebuild(head);
  const folded = await rowsOf(client, head);
  if ((await nextSeqOf(client, head)) !== head.nextSeq) return [];
  const faults = stored === folded ? [] : ['its stored views are not those of its log'];
  const { kind } = (JSON.parse(folded) as [[{ view: { status: { kind: string } } }]])[0][0].view.status;
  return kind === head.status ? faults : [...faults, `the head says ${head.status}, and the log ${kind}`];
}

async function nextSeqOf(client: pg.Client, { tenantId, runId }: RunKey): Promise<number | undefined> {
  const { rows } = await client.query<{ nextSeq: number }>(
    'SELECT next_seq::int AS "nextSeq" FROM run_heads WHERE tenant_id = $1 AND run_id = $2',
    [tenantId, runId],
  );
  return rows[0]?.nextSeq;
}

async function nowOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ nowMs: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float AS "nowMs"',
  );
  return rows[0]!.nowMs;
}

async function headsOf(client: pg.Client): Promise<CheckedHead[]> {
  const { rows } = await client.query<CheckedHead>(
    `SELECT h.tenant_id AS "tenantId", h.run_id AS "runId", h.status, h.slot, h.next_seq::int AS "nextSeq",
            h.runnable_seq::int AS "runnableSeq",
            (SELECT count(DISTINCT d.sha256) FROM definitions d
              WHERE d.tenant_id = r.tenant_id AND d.sha256 IN (r.spec_sha256, r.manifest_sha256))
              = (CASE WHEN r.spec_sha256 = r.manifest_sha256 THEN 1 ELSE 2 END) AS "hasDefinitions"
       FROM run_heads h JOIN runs r ON r.tenant_id = h.tenant_id AND r.id = h.run_id ORDER BY h.run_id`,
  );
  return rows;
}

/** How long what an event begins takes by itself. */
const LIMIT_MS = `
  (CASE WHEN event = 'interview.started' THEN (body->'properties'->>'timeout_seconds')::float * 1000
        WHEN event = 'stage.retrying' THEN (body->'properties'->>'delay_ms')::float
        WHEN event = 'stage.waiting' AND body->'properties'->>'kind' = 'timer'
        THEN extract(epoch FROM (body->'properties'->>'until')::timestamptz - ts)::float * 1000 END)`;

async function logOf(client: pg.Client, { tenantId, runId }: RunKey): Promise<LoggedEvent[]> {
  const { rows } = await client.query<LoggedEvent>(
    `SELECT seq::int, id::text, epoch::int, event, xmin::text AS transaction,
            (extract(epoch FROM stored_at) * 1000)::float AS "storedAtMs", (extract(epoch FROM ts) * 1000)::float AS "tsMs",
            body->>'stage_id' AS "stageId", body->'properties'->>'attempt_id' AS "attemptId",
            body->'properties'->>'handler_type' AS handler, (body->'properties'->>'will_retry')::boolean AS "willRetry",
            (body->'properties'->>'resume')::boolean AS "isResume",
            body->'properties'->>'question_id' AS "questionId", body->'properties'->>'worker_id' AS "workerId",
            body->'origin' IS NOT NULL AS "isCopy", ${LIMIT_MS} AS "limitMs"
       FROM run_events WHERE tenant_id = $1 AND run_id = $2 ORDER BY seq`,
    [tenantId, runId],
  );
  return rows.map(({ stageId, attemptId, questionId, workerId, limitMs, ...row }) => ({
    ...row,
    stageId: stageId ?? undefined,
    attemptId: attemptId ?? undefined,
    questionId: questionId ?? undefined,
    workerId: workerId ?? undefined,
    limitMs: limitMs ?? undefined,
  }));
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
