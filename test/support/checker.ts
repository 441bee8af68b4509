import type { RunKey } from '#libs/engine';
import { isTerminal } from '#libs/events';
import type { RunViews } from '#libs/persistence';
import pg from 'pg';
import { faultsOfLog } from './checker/log-faults.js';
import type { CheckedHead, CheckedRun, LoggedEvent } from './checker/logged-event.js';
import { mostAtOnce, startOrderFaults } from './checker/schedule-faults.js';

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
    for (const { head, log } of runs) {
      const over = isTerminal(head.status);
      const own = [
        ...faultsOfLog(log, over),
        ...headFaults(head, log, over),
        ...(await viewFaults(client, views, head)),
      ];
      faults.push(...own.map((fault) => `${head.runId}: ${fault}`));
    }
    const most = mostAtOnce(runs.map(({ log }) => log));
    if (most > limit) faults.push(`${most} runs executed at once under a limit of ${limit}`);
    return [...faults, ...startOrderFaults(runs)];
  } finally {
    await client.end();
  }
}

/** Every run of a database with its log. */
export async function runsOf(client: pg.Client): Promise<CheckedRun[]> {
  const runs: CheckedRun[] = [];
  for (const head of await headsOf(client)) runs.push({ head, log: await logOf(client, head) });
  return runs;
}

function* headFaults({ slot, nextSeq }: CheckedHead, log: readonly LoggedEvent[], over: boolean): Generator<string> {
  if (nextSeq !== log.length + 1) yield `the head expects seq ${nextSeq} after ${log.length} events`;
  if (over && slot !== 'none') yield `the run is over and its slot is ${slot}`;
}

/** Read models are disposable: built again from the log they are the same, and the head says what they say. */
async function viewFaults(client: pg.Client, views: RunViews, head: CheckedHead): Promise<string[]> {
  await views.catchUp([head]);
  const stored = await rowsOf(client, head);
  await views.rebuild(head);
  const folded = await rowsOf(client, head);
  const faults = stored === folded ? [] : ['its stored views are not those of its log'];
  const { kind } = (JSON.parse(folded) as [[{ view: { status: { kind: string } } }]])[0][0].view.status;
  return kind === head.status ? faults : [...faults, `the head says ${head.status}, and the log ${kind}`];
}

async function headsOf(client: pg.Client): Promise<CheckedHead[]> {
  const { rows } = await client.query<CheckedHead>(
    `SELECT tenant_id AS "tenantId", run_id AS "runId", status, slot, next_seq::int AS "nextSeq",
            runnable_seq::int AS "runnableSeq"
       FROM run_heads ORDER BY run_id`,
  );
  return rows;
}

async function logOf(client: pg.Client, { tenantId, runId }: RunKey): Promise<LoggedEvent[]> {
  const { rows } = await client.query<LoggedEvent>(
    `SELECT seq::int, epoch::int, event, xmin::text AS transaction,
            (extract(epoch FROM stored_at) * 1000)::float AS "storedAtMs",
            body->>'stage_id' AS "stageId", body->'properties'->>'attempt_id' AS "attemptId",
            body->'properties'->>'handler_type' AS handler, (body->'properties'->>'will_retry')::boolean AS "willRetry",
            body->'properties'->>'question_id' AS "questionId"
       FROM run_events WHERE tenant_id = $1 AND run_id = $2 ORDER BY seq`,
    [tenantId, runId],
  );
  return rows.map(({ stageId, attemptId, questionId, ...row }) => ({
    ...row,
    stageId: stageId ?? undefined,
    attemptId: attemptId ?? undefined,
    questionId: questionId ?? undefined,
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
