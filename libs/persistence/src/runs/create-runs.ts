import { ENGINE_VERSION, type RunKey } from '#libs/engine';
import {
  applyToRunView,
  beginRunView,
  VIEW_VERSION,
  type EventEnvelope,
  type RunView,
  type StampedEvent,
} from '#libs/events';
import { ulidTime, ulidTimeMs, type Json } from '#libs/kernel';
import type { Queryable } from '../database.js';
import type { DefinitionBytes, DefinitionKey, StoredDefinitions } from './definitions.js';
import { encodeAppend, insertAppends, type EncodedAppend } from '../log/event-rows.js';
import { keyOf } from '../log/locked-heads.js';
import { bornAt } from '../log/born-at.js';
import { prepared } from '../prepared.js';
import { viewRows } from '../views/run-view-row.js';

/** The key under which a request is known for a day. */
export interface Idempotency {
  key: string;
  /** Of a request that is no creation: what was asked for, so that another request under the same key is refused. */
  requestSha256?: string;
  /** What the request was told beside its run, for whoever sends it again. */
  reply?: Json;
}

/** What one creation of runs sends. */
interface Creation {
  runs: readonly PreparedRun[];
  /** The definitions that come along. */
  sent: readonly (DefinitionBytes & DefinitionKey)[];
  /** Those that are thought to be stored. */
  reliedOn: readonly DefinitionKey[];
}

/** A run as it enters the database. */
export interface NewRun extends RunKey {
  parentId: string | null;
  manifest: DefinitionBytes;
  spec: DefinitionBytes;
  sourceDirectory: string | null;
  sandboxProvider: string;
  idempotency: Idempotency | null;
  /** Begins with `run.created`. */
  events: readonly StampedEvent[];
}

// A run is stored only if both its definitions are stored and not retired, or come with it; else it inserts nothing, as
// one whose id or idempotency key is taken. Definitions are read without a lock: a retired one is deleted long after the
// last statement that still saw it in use. Only a repeat of a stored run leaves its key. Rows that another server may
// insert, too, go in by key, so that none waits for another in a circle.
const createRuns = prepared<Creation>(
  'create-runs',
  (p) => `
WITH s AS MATERIALIZED (
  SELECT * FROM ${p.rows('s', ({ sent }) => sent, {
    tenant_id: ['text', ({ tenantId }) => tenantId],
    sha256: ['text', ({ sha256 }) => sha256],
    body: ['bytea', ({ body }) => body()],
  })}),
a AS MATERIALIZED (
  SELECT tenant_id, sha256 FROM s
  UNION ALL
  SELECT d.tenant_id, d.sha256 FROM ${p.rows('k', ({ reliedOn }) => reliedOn, {
    tenant_id: ['text', ({ tenantId }) => tenantId],
    sha256: ['text', ({ sha256 }) => sha256],
  })}
    JOIN definitions d USING (tenant_id, sha256) WHERE d.retired_at IS NULL),
u AS MATERIALIZED (
  SELECT u.*, (tenant_id, manifest_sha256) IN (SELECT tenant_id, sha256 FROM a)
          AND (tenant_id, spec_sha256) IN (SELECT tenant_id, sha256 FROM a) AS is_defined
    FROM ${p.rows('u', ({ runs }) => runs, {
      tenant_id: ['text', ({ run }) => run.tenantId],
      run_id: ['text', ({ run }) => run.runId],
      parent_id: ['text', ({ run }) => run.parentId],
      manifest_sha256: ['text', ({ run }) => run.manifest.sha256],
      spec_sha256: ['text', ({ run }) => run.spec.sha256],
      source_directory: ['text', ({ run }) => run.sourceDirectory],
      sandbox_provider: ['text', ({ run }) => run.sandboxProvider],
      idempotency_key: ['text', ({ run }) => run.idempotency?.key ?? null],
      request_sha256: ['text', ({ run }) => run.idempotency?.requestSha256 ?? null],
      reply: ['json', ({ run }) => replyText(run.idempotency)],
      count: ['int', ({ run }) => run.events.length],
      epoch: ['bigint', ({ run }) => epochBefore(run)],
      created_key: ['text', createdKey],
    })}),
d AS (
  INSERT INTO definitions (tenant_id, sha256, body)
  SELECT tenant_id, sha256, body FROM s ORDER BY tenant_id, sha256
  ON CONFLICT (tenant_id, sha256) DO UPDATE SET retired_at = NULL WHERE definitions.retired_at IS NOT NULL),
k AS (
  INSERT INTO idempotency_keys (tenant_id, key, run_id, request_sha256, reply)
  SELECT tenant_id, idempotency_key, run_id, request_sha256, reply FROM u
   WHERE is_defined AND idempotency_key IS NOT NULL AND NOT EXISTS (
     SELECT FROM runs r WHERE r.tenant_id = u.tenant_id AND r.id = u.run_id AND r.manifest_sha256 <> u.manifest_sha256)
   ORDER BY tenant_id, idempotency_key
  ON CONFLICT DO NOTHING RETURNING tenant_id, key, run_id),
n AS (
  INSERT INTO runs (tenant_id, id, parent_id, manifest_sha256, spec_sha256, source_directory, sandbox_provider, engine_version, created_key)
  SELECT u.tenant_id, u.run_id, u.parent_id, u.manifest_sha256, u.spec_sha256, u.source_directory, u.sandbox_provider, ${ENGINE_VERSION}, u.created_key
    FROM u LEFT JOIN k ON k.tenant_id = u.tenant_id AND k.run_id = u.run_id
   WHERE u.is_defined AND (u.idempotency_key IS NULL OR k.key IS NOT NULL)
   ORDER BY u.tenant_id, u.run_id
  ON CONFLICT DO NOTHING RETURNING tenant_id, id AS run_id, created_at),
c AS (
  INSERT INTO definitions_to_check (tenant_id, sha256)
  SELECT s.tenant_id, s.sha256 FROM s
   WHERE NOT EXISTS (SELECT FROM n JOIN u USING (tenant_id, run_id)
                      WHERE u.tenant_id = s.tenant_id AND s.sha256 IN (u.manifest_sha256, u.spec_sha256))),
h AS (
  INSERT INTO run_heads (tenant_id, run_id, next_seq, lease_epoch, created_key)
  SELECT n.tenant_id, n.run_id, u.count + 1, u.epoch, u.created_key FROM n JOIN u USING (tenant_id, run_id)),
v AS (
  INSERT INTO run_views (version, tenant_id, run_id, seq, view, title, workflow, repository, created_at, updated_at, started_at, completed_at)
  SELECT ${VIEW_VERSION}, n.tenant_id, n.run_id, w.seq, w.view, w.title, w.workflow, w.repository, w.created_at, w.updated_at, w.started_at, w.completed_at
    FROM n JOIN ${viewRows(p, ({ runs }) => runs.map(({ run, view, viewSeq }) => ({ ...run, seq: viewSeq, view })))}
      USING (tenant_id, run_id)),
e AS (
  ${insertAppends(p, ({ runs }) => runs.map(({ append }) => append), { runs: 'n', base: '1' })})
SELECT u.tenant_id AS "tenantId", u.run_id AS "runId", ${bornAt('n.created_at')} AS "bornAt"
  FROM u LEFT JOIN n USING (tenant_id, run_id) WHERE n.run_id IS NOT NULL OR NOT u.is_defined`,
);

/** A new run with what follows from it, made once. */
export interface PreparedRun {
  run: NewRun;
  append: EncodedAppend;
  /** The fold of the run's own events; the history of a fork is folded when it is read. */
  view: RunView;
  viewSeq: number;
  /** Whether its definitions are sent although they are known. */
  bringsDefinitions?: boolean;
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

/** What became of a run that was to be stored. */
export type Insertion =
  | { kind: 'stored'; bornAt: string }
  /** Its id or its idempotency key belongs to another run. */
  | { kind: 'taken' }
  /** A definition that was thought to be stored is not, or is about to go. */
  | { kind: 'undefined' };

export interface Insertions {
  /** In the order of the runs. */
  results: Insertion[];
  /** What is stored as soon as the transaction is committed, and not before. */
  definitions: readonly DefinitionKey[];
}

/**
 * Stores new runs, each as if it were the only one, in one statement. A run never enters without its definitions: those
 * that are not `known` are sent along, and a run that relied on one in vain is `undefined`, to be sent again with both.
 */
export async function insertRuns(
  db: Queryable,
  made: readonly PreparedRun[],
  known: Pick<StoredDefinitions, 'has'>,
): Promise<Insertions> {
  const runs = made.map(({ run }) => run);
  const needed = definitionsOf(runs);
  const brought = new Set(
    definitionsOf(made.filter(({ bringsDefinitions }) => bringsDefinitions).map(({ run }) => run)).map(nameOf),
  );
  const sent = needed.filter((one) => brought.has(nameOf(one)) || !known.has(one.tenantId, one.sha256));
  const reliedOn = needed.filter((one) => !sent.includes(one));
  const { statement, values } = createRuns({ runs: made, sent, reliedOn });
  const rows = await db.query<RunKey & { bornAt: string | null }>(statement, values);
  const found = new Map(rows.map((row) => [keyOf(row), row]));
  return { results: runs.map((run) => insertionOf(found.get(keyOf(run)))), definitions: sent };
}

function insertionOf(row: { bornAt: string | null } | undefined): Insertion {
  if (!row) return { kind: 'taken' };
  return row.bornAt === null ? { kind: 'undefined' } : { kind: 'stored', bornAt: row.bornAt };
}

function replyText(idempotency: Idempotency | null): string | null {
  return idempotency?.reply === undefined ? null : JSON.stringify(idempotency.reply);
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

/** The definitions of these runs, each once. */
function definitionsOf(runs: readonly NewRun[]): (DefinitionBytes & DefinitionKey)[] {
  const all = runs.flatMap(({ tenantId, manifest, spec }) => [manifest, spec].map((one) => ({ tenantId, ...one })));
  return [...new Map(all.map((one) => [nameOf(one), one])).values()];
}

function nameOf({ tenantId, sha256 }: DefinitionKey): string {
  return `${tenantId} ${sha256}`;
}
