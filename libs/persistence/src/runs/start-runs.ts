import type { RunKey } from '#libs/engine';
import type { Principal, RunStatusKind, StampedEvent } from '#libs/events';
import { InvariantError, RunyardError } from '#libs/kernel';
import { decide, statusesFor, type Moment } from '#libs/runs';
import type { Database, PreparedQuery, Queryable } from '../database.js';
import type { GrownLog } from '../log/commit-signals.js';
import { bodiesOf, encodeAppend, insertAppends, type EncodedAppend } from '../log/event-rows.js';
import { WAITS } from '../log/head-status.js';
import { keyOf } from '../log/locked-heads.js';
import { prepared } from '../prepared.js';
import { LOCK_SLOTS, promotion, type Promoted } from '../slots/promote.js';

export interface StartRequest extends RunKey {
  actor: Principal;
  /** With `approve` a person consents to what another run started. */
  kind?: 'start' | 'approve';
}

/** A start as the rules have it, for a run that has the one status from which they start it. */
export interface PreparedStart extends RunKey {
  from: RunStatusKind;
  events: readonly StampedEvent[];
}

interface StartedRuns {
  /** In the order of the requests: whether the run was started by it. */
  results: boolean[];
  grown: GrownLog[];
}

/** From where a run is started. */
const STARTED_FROM = { start: statusesFor('start')[0]!, approve: statusesFor('approve')[0]! };

/** What is appended if the run has the status from which it is started, which the statement looks at. Throws a refusal. */
export function prepareStart(request: StartRequest, moment: Moment): PreparedStart {
  const { tenantId, runId, actor, kind = 'start' } = request;
  const from = STARTED_FROM[kind];
  const head = { runId, status: from, slot: 'none', leaseEpoch: 0, pendingControl: null, isArchived: false } as const;
  const decision = decide(runId, head, { kind, actor, needsConsent: false }, {}, moment);
  if (decision instanceof RunyardError) throw decision;
  if (typeof decision === 'string') throw new InvariantError(`A ${kind} is decided by the head alone.`);
  return { tenantId, runId, from, events: decision.events };
}

/** Start order is drawn while the tenant's row is held, so the order of commits is the order of numbers. */
const startStatement = prepared<readonly (PreparedStart & { encoded: EncodedAppend })[]>(
  'start-runs',
  (p) => `
WITH g AS MATERIALIZED (
  SELECT * FROM ${p.rows(
    'g',
    (requests) => requests,
    {
      tenant_id: ['text', ({ tenantId }) => tenantId],
      run_id: ['text', ({ runId }) => runId],
      wanted: ['text', ({ from }) => from],
    },
    'place',
  )}),
t AS MATERIALIZED (
  SELECT id, next_runnable_seq FROM tenants WHERE id = ANY(${p.value('text[]', (requests) => requests.map(({ tenantId }) => tenantId))}) ORDER BY id FOR NO KEY UPDATE),
l AS MATERIALIZED (
  SELECT g.*, h.status, h.next_seq AS base
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
     SET next_seq = h.next_seq + 2, status = ${WAITS}, slot = 'queued', slot_since = clock_timestamp(),
         runnable_seq = n.runnable_seq, last_event_at = clock_timestamp()
    FROM n WHERE h.tenant_id = n.tenant_id AND h.run_id = n.run_id
  RETURNING h.tenant_id, h.run_id, n.base),
i AS (
  ${insertAppends(p, (requests) => requests.map(({ encoded }) => encoded), { runs: 'r', base: 'r.base' })})
SELECT tenant_id AS "tenantId", run_id AS "runId", base + 1 AS "toSeq" FROM r`,
);

type Row = RunKey & { toSeq: number };

/**
 * Starts several runs in one transaction, in the order of the requests, and promotes as far as slots are free. What cannot be
 * started is left as it is; the rules say why.
 */
export async function startRuns(
  database: Database,
  requests: readonly PreparedStart[],
  nowMs: number,
): Promise<StartedRuns & { promoted: Promoted[] }> {
  const [started, promoted] = await database.together(
    LOCK_SLOTS,
    starting(requests),
    promotion(nowMs, requests.length),
  );
  return { ...started, promoted };
}

/** Starts several runs in a transaction that {@link LOCK_SLOTS} opened; they wait for slots. */
export async function startLocked(tx: Queryable, requests: readonly PreparedStart[]): Promise<StartedRuns> {
  const { statement, values, read } = starting(requests);
  return read(await tx.query(statement, values));
}

function starting(requests: readonly PreparedStart[]): PreparedQuery<Row, StartedRuns> {
  const first = new Map<string, PreparedStart>();
  for (const request of requests) if (!first.has(keyOf(request))) first.set(keyOf(request), request);
  const wanted = [...first.values()];
  const writes = wanted.map((request) => ({ ...request, encoded: encodeAppend(request, request.events) }));
  return {
    ...startStatement(writes),
    read: (rows) => {
      const started = new Map(rows.map((row) => [keyOf(row), row]));
      // Of several requests for one run, the first is served.
      const results = requests.map((request) => {
        return started.has(keyOf(request)) && first.get(keyOf(request)) === request;
      });
      const grown = writes.flatMap((request): GrownLog[] => {
        const row = started.get(keyOf(request));
        const { tenantId, runId, encoded } = request;
        return row ? [{ tenantId, runId, toSeq: row.toSeq, bodies: bodiesOf(encoded) }] : [];
      });
      return { results, grown };
    },
  };
}
