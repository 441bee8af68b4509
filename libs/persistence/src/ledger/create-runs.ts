import { ENGINE_VERSION, type RunKey } from '#libs/engine';
import {
  applyToRunView,
  beginRunView,
  VIEW_VERSION,
  type EventEnvelope,
  type RunView,
  type StampedEvent,
} from '#libs/events';
import { ulidTime, ulidTimeMs, type TenantId } from '#libs/kernel';
import type { Queryable, Statement } from '../database.js';
import type { EncodedDefinition, StoredDefinitions } from '../store/definitions.js';
import { encodeAppend, eventParameters, type EncodedAppend } from '../store/event-rows.js';
import { keyOf } from '../store/locked-heads.js';
import { viewColumns } from '../views/run-view-row.js';

/** A run as it enters the database. */
export interface NewRun extends RunKey {
  parentId: string | null;
  manifest: EncodedDefinition;
  spec: EncodedDefinition;
  sourceDirectory: string | null;
  sandboxProvider: string;
  idempotencyKey: string | null;
  /** Begins with `run.created`. */
  events: readonly StampedEvent[];
}

// A run whose id or idempotency key is taken inserts nothing and is missing from the result; only a repeat of a stored
// run leaves its key. Rows that another server may insert, too, go in by key, so that none waits for another in a circle.
const createRuns: Statement = {
  name: 'create-runs',
  text: `
WITH u AS (
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[], $31::bigint[], $32::text[])
    AS u(tenant_id, run_id, parent_id, manifest_sha256, spec_sha256, source_directory, sandbox_provider, idempotency_key, count, epoch, created_key)),
d AS (
  INSERT INTO definitions (tenant_id, sha256, body)
  SELECT * FROM unnest($10::text[], $11::text[], $12::bytea[]) AS d(tenant_id, sha256, body)
   ORDER BY tenant_id, sha256 ON CONFLICT DO NOTHING),
k AS (
  INSERT INTO idempotency_keys (tenant_id, key, run_id)
  SELECT tenant_id, idempotency_key, run_id FROM u
   WHERE idempotency_key IS NOT NULL AND NOT EXISTS (
     SELECT FROM runs r WHERE r.tenant_id = u.tenant_id AND r.id = u.run_id AND r.manifest_sha256 <> u.manifest_sha256)
   ORDER BY tenant_id, idempotency_key
  ON CONFLICT DO NOTHING RETURNING tenant_id, key, run_id),
n AS (
  INSERT INTO runs (tenant_id, id, parent_id, manifest_sha256, spec_sha256, source_directory, sandbox_provider, engine_version, created_key)
  SELECT u.tenant_id, u.run_id, u.parent_id, u.manifest_sha256, u.spec_sha256, u.source_directory, u.sandbox_provider, ${ENGINE_VERSION}, u.created_key
    FROM u LEFT JOIN k ON k.tenant_id = u.tenant_id AND k.run_id = u.run_id
   WHERE u.idempotency_key IS NULL OR k.key IS NOT NULL
   ORDER BY u.tenant_id, u.run_id
  ON CONFLICT DO NOTHING RETURNING tenant_id, id AS run_id),
h AS (
  INSERT INTO run_heads (tenant_id, run_id, next_seq, lease_epoch, created_key)
  SELECT n.tenant_id, n.run_id, u.count + 1, u.epoch, u.created_key FROM n JOIN u USING (tenant_id, run_id)),
v AS (
  INSERT INTO run_views (version, tenant_id, run_id, seq, view, title, workflow, repository, created_at, updated_at, started_at, completed_at)
  SELECT ${VIEW_VERSION}, n.tenant_id, n.run_id, w.seq, w.view, w.title, w.workflow, w.repository, w.created_at, w.updated_at, w.started_at, w.completed_at
    FROM n JOIN unnest($13::text[], $14::text[], $15::bigint[], $16::json[], $17::text[], $18::text[], $19::text[],
                       $20::timestamptz[], $21::timestamptz[], $22::timestamptz[], $23::timestamptz[])
      AS w(tenant_id, run_id, seq, view, title, workflow, repository, created_at, updated_at, started_at, completed_at)
      USING (tenant_id, run_id)),
e AS (
  INSERT INTO run_events (tenant_id, run_id, seq, id, event, ts, body)
  SELECT n.tenant_id, n.run_id, e.place + 1, e.id, e.event, e.ts, e.body
    FROM n JOIN unnest($24::text[], $25::text[], $26::int[], $27::uuid[], $28::text[], $29::timestamptz[],
         string_to_array($30, chr(10))::json[])
      AS e(tenant_id, run_id, place, id, event, ts, body) USING (tenant_id, run_id))
SELECT tenant_id AS "tenantId", run_id AS "runId" FROM n`,
};

/** A new run with what follows from it, made once. */
export interface PreparedRun {
  run: NewRun;
  append: EncodedAppend;
  /** The fold of the run's own events; the history of a fork is folded when it is read. */
  view: RunView;
  viewSeq: number;
}

export function prepareRun(run: NewRun): PreparedRun {
  const append = encodeAppend(run, run.events);
  const copies = run.events.findIndex(({ origin }) => origin !== undefined);
  const viewSeq = copies === -1 ? run.events.length : copies;
  const [created, ...rest] = append.events
    .slice(0, viewSeq)
    .map(({ unnumbered }, i) => ({ ...unnumbered, seq: i + 1 }) as EventEnvelope);
  return { run, append, view: rest.reduce(applyToRunView, beginRunView(created!)), viewSeq };
}

/** Stores new runs in one commit. Returns, in order, whether each was stored; false where its id or key was taken. */
export async function insertRuns(
  db: Queryable,
  prepared: readonly PreparedRun[],
  known: StoredDefinitions,
): Promise<boolean[]> {
  const runs = prepared.map(({ run }) => run);
  const definitions = newDefinitions(runs, known);
  const stored = await db.query<RunKey>(createRuns, [
    runs.map(({ tenantId }) => tenantId),
    runs.map(({ runId }) => runId),
    runs.map(({ parentId }) => parentId),
    runs.map(({ manifest }) => manifest.sha256),
    runs.map(({ spec }) => spec.sha256),
    runs.map(({ sourceDirectory }) => sourceDirectory),
    runs.map(({ sandboxProvider }) => sandboxProvider),
    runs.map(({ idempotencyKey }) => idempotencyKey),
    runs.map(({ events }) => events.length),
    definitions.map(({ tenantId }) => tenantId),
    definitions.map(({ sha256 }) => sha256),
    definitions.map(({ body }) => body()),
    ...viewColumns(prepared.map(({ run, view, viewSeq }) => ({ ...run, seq: viewSeq, view }))),
    ...eventParameters(prepared.map(({ append }) => append)),
    runs.map(epochBefore),
    prepared.map(createdKey),
  ]);
  for (const { tenantId, sha256 } of definitions) known.add(tenantId, sha256);
  const ids = new Set(stored.map(keyOf));
  return runs.map((run) => ids.has(keyOf(run)));
}

/** A fork was walked before it was made: its first worker finds a history to go on from. */
function epochBefore({ events }: NewRun): number {
  return events.some(({ origin }) => origin !== undefined) ? 1 : 0;
}

/** What orders a run by its creation where its id, chosen by a client, tells another moment. */
function createdKey({ run: { runId }, view }: PreparedRun): string | null {
  const createdMs = Date.parse(view.timestamps.created_at);
  return ulidTimeMs(runId) === createdMs ? null : `${ulidTime(createdMs)}${runId}`;
}

function newDefinitions(
  runs: readonly NewRun[],
  known: StoredDefinitions,
): (EncodedDefinition & { tenantId: TenantId })[] {
  const all = runs.flatMap(({ tenantId, manifest, spec }) => [manifest, spec].map((one) => ({ tenantId, ...one })));
  const unknown = all.filter(({ tenantId, sha256 }) => !known.has(tenantId, sha256));
  return [...new Map(unknown.map((one) => [`${one.tenantId} ${one.sha256}`, one])).values()];
}
