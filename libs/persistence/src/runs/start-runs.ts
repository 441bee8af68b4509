import type { RunKey } from '#libs/engine';
import { IllegalTransitionError, stamp, type Principal, type RunStatusKind, type StampedEvent } from '#libs/events';
import type { RunyardError } from '#libs/kernel';
import type { Database, PreparedQuery, Queryable } from '../database.js';
import { RunArchivedError, RunNotFoundError } from '../errors.js';
import type { GrownLog } from '../log/commit-signals.js';
import { bodiesOf, encodeAppend, insertAppends, type EncodedAppend } from '../log/event-rows.js';
import { keyOf } from '../log/locked-heads.js';
import { prepared } from '../prepared.js';
import { LOCK_SLOTS, promotion, type Promoted } from '../slots/promote.js';

export interface StartRequest extends RunKey {
  actor: Principal;
  /** The status it must have; `pending` when a person approves it. */
  from?: 'submitted' | 'pending';
}

interface StartedRuns {
  /** In the order of the requests: why a run was not started, undefined where it was. */
  results: (RunyardError | undefined)[];
  grown: GrownLog[];
}

/** Start order is drawn while the tenant's row is held, so the order of commits is the order of numbers. */
const startStatement = prepared<readonly (StartRequest & { encoded: EncodedAppend })[]>(
  'start-runs',
  (p) => `
WITH g AS MATERIALIZED (
  SELECT * FROM ${p.rows(
    'g',
    (requests) => requests,
    {
      tenant_id: ['text', ({ tenantId }) => tenantId],
      run_id: ['text', ({ runId }) => runId],
      wanted: ['text', statusBefore],
    },
    'place',
  )}),
t AS MATERIALIZED (
  SELECT id, next_runnable_seq FROM tenants WHERE id = ANY(${p.value('text[]', (requests) => requests.map(({ tenantId }) => tenantId))}) ORDER BY id FOR NO KEY UPDATE),
l AS MATERIALIZED (
  SELECT g.*, h.status, h.archived_at IS NOT NULL AS is_archived, h.next_seq AS base
    FROM run_heads h JOIN g ON h.tenant_id = g.tenant_id AND h.run_id = g.run_id
   ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h),
n AS (
  SELECT l.*, t.next_runnable_seq + row_number() OVER (PARTITION BY l.tenant_id ORDER BY l.place) - 1 AS runnable_seq
    FROM l JOIN t ON t.id = l.tenant_id WHERE l.status = l.wanted),
d AS (
  UPDATE tenants SET next_runnable_seq = next_runnable_seq + c.count
    FROM (SELECT tenant_id, count(*) AS count FROM n GROUP BY tenant_id) c WHERE id = c.tenant_id),
r AS (
  UPDATE run_heads h
     SET next_seq = h.next_seq + 2, status = 'runnable', slot = 'queued', slot_since = clock_timestamp(),
         runnable_seq = n.runnable_seq, last_event_at = clock_timestamp()
    FROM n WHERE h.tenant_id = n.tenant_id AND h.run_id = n.run_id
  RETURNING h.tenant_id, h.run_id, n.base),
i AS (
  ${insertAppends(p, (requests) => requests.map(({ encoded }) => encoded), { runs: 'r', base: 'r.base' })})
SELECT tenant_id AS "tenantId", run_id AS "runId", status, is_archived AS "isArchived", base + 1 AS "toSeq" FROM l`,
);

type Row = RunKey & { status: RunStatusKind; isArchived: boolean; toSeq: number };

/** Starts several runs in one transaction, in the order of the requests, and promotes as far as slots are free. */
export async function startRuns(
  database: Database,
  requests: readonly StartRequest[],
  nowMs: number,
): Promise<StartedRuns & { promoted: Promoted[] }> {
  const [started, promoted] = await database.together(
    LOCK_SLOTS,
    starting(requests, nowMs),
    promotion(nowMs, requests.length),
  );
  return { ...started, promoted };
}

/** Starts several runs in a transaction that {@link LOCK_SLOTS} opened; they wait for slots. */
export async function startLocked(
  tx: Queryable,
  requests: readonly StartRequest[],
  nowMs: number,
): Promise<StartedRuns> {
  const { statement, values, read } = starting(requests, nowMs);
  return read(await tx.query(statement, values));
}

function starting(requests: readonly StartRequest[], nowMs: number): PreparedQuery<Row, StartedRuns> {
  const first = new Map<string, StartRequest>();
  for (const request of requests) if (!first.has(keyOf(request))) first.set(keyOf(request), request);
  const wanted = [...first.values()];
  const writes = wanted.map((request) => ({ ...request, encoded: encodeAppend(request, startEvents(request, nowMs)) }));
  return {
    ...startStatement(writes),
    read: (rows) => {
      const found = new Map(rows.map((row) => [keyOf(row), row]));
      const results = requests.map((request) => refusal(request, found.get(keyOf(request)), first));
      const grown = writes.flatMap((request): GrownLog[] => {
        const row = found.get(keyOf(request));
        const { tenantId, runId, encoded } = request;
        return row?.status === statusBefore(request)
          ? [{ tenantId, runId, toSeq: row.toSeq, bodies: bodiesOf(encoded) }]
          : [];
      });
      return { results, grown };
    },
  };
}

/** Why a run was not started; of several requests for one run, the first is served. */
function refusal(
  request: StartRequest,
  before: Row | undefined,
  first: ReadonlyMap<string, StartRequest>,
): RunyardError | undefined {
  if (!before) return new RunNotFoundError(request.runId);
  if (before.isArchived) return new RunArchivedError(request.runId);
  const status = first.get(keyOf(request)) === request ? before.status : 'runnable';
  if (status === statusBefore(request)) return undefined;
  return new IllegalTransitionError(request.runId, status, request.from === 'pending' ? 'approved' : 'started');
}

function statusBefore({ from = 'submitted' }: StartRequest): RunStatusKind {
  return from;
}

function startEvents({ actor, from }: StartRequest, nowMs: number): StampedEvent[] {
  if (from === 'pending') {
    return [
      stamp({ event: 'run.approved', actor, properties: {} }, nowMs),
      stamp({ event: 'run.runnable', actor, properties: { source: 'approved' } }, nowMs),
    ];
  }
  return [
    stamp({ event: 'run.start_requested', actor, properties: { resume: false } }, nowMs),
    stamp({ event: 'run.runnable', actor, properties: { source: 'start_requested' } }, nowMs),
  ];
}
