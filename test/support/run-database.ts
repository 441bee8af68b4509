import pg from 'pg';
import type { RunKey } from '#libs/engine';
import { stamp, type Principal, type RunEvent, type RunSpec, type StampedEvent } from '#libs/events';
import { DEFAULT_TENANT, newUlid, SystemClock, type RunId, type TenantId } from '#libs/kernel';
import {
  ColdLogs,
  CommitSignals,
  Database,
  encodeDefinition,
  PgRunStore,
  RunLedger,
  type GrownLog,
  type NewRun,
} from '#libs/persistence';
import type { RunHint } from '#libs/scheduling';
import type { TestDatabase } from './embedded-postgres.js';
import { InMemoryObjectStore } from './in-memory-object-store.js';
import { migratedDatabase } from './migrated-database.js';

export { MIGRATIONS } from './migrated-database.js';

export const someone: Principal = { kind: 'system', system_kind: 'engine' };

export const aSpec: RunSpec = { settings: {}, graph: { name: 'g' }, workflow_source: 'digraph g {}' };

/** What commits told, in the order in which they told it. */
export class RecordedSignals extends CommitSignals {
  readonly notices: GrownLog[] = [];
  readonly hints: RunHint[] = [];

  created(): void {}

  appended(grown: GrownLog): void {
    this.notices.push(grown);
  }

  promoted(hints: readonly RunHint[]): void {
    this.hints.push(...hints);
  }
}

/** A migrated database with the parts that stand on it, and a way past them for the owner of the schema. */
export interface RunDatabase {
  readonly connectionString: string;
  readonly database: Database;
  readonly signals: RecordedSignals;
  readonly clock: SystemClock;
  readonly objects: InMemoryObjectStore;
  readonly cold: ColdLogs;
  /** Each call is another API process. */
  ledger(): RunLedger;
  /** Each call is another worker. */
  store(owner: string): PgRunStore;
  /** A statement of the schema's owner. */
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** A connection of the schema's owner, to be ended by the caller. */
  session(): Promise<pg.Client>;
  close(): Promise<void>;
}

export async function runDatabase(maxConnections = 8): Promise<RunDatabase> {
  return openRunDatabase(await migratedDatabase(), maxConnections);
}

/** Opens a database that is migrated already. */
export function openRunDatabase(place: TestDatabase, maxConnections = 8): RunDatabase {
  const { connectionString } = place;
  const database = new Database({ connectionString, maxConnections, applicationName: 'test' });
  const renewals = new Database({ connectionString, maxConnections: 2, applicationName: 'test renewals' });
  const owner = new pg.Pool({ connectionString, max: 2 });
  owner.on('error', () => undefined);
  const signals = new RecordedSignals();
  const clock = new SystemClock();
  const objects = new InMemoryObjectStore();
  const cold = new ColdLogs(objects);
  return {
    connectionString,
    database,
    signals,
    clock,
    objects,
    cold,
    ledger: () => new RunLedger(database, signals, clock, cold),
    store: (name) => new PgRunStore(database, renewals, name, signals, clock),
    sql: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await owner.query<Row>(text, [...values])).rows,
    async session() {
      const client = new pg.Client({ connectionString });
      client.on('error', () => undefined);
      await client.connect();
      return client;
    },
    async close() {
      await Promise.all([database.close(), renewals.close(), owner.end()]);
      await place.drop();
    },
  };
}

/** A run as the API submits it. */
export function aNewRun(
  more: Partial<NewRun> & { title?: string; text?: string; idempotencyKey?: string } = {},
): NewRun {
  const { title = 'A run', text = 'manifest', idempotencyKey: key, ...rest } = more;
  const now = Date.now();
  const manifest = encodeDefinition(text);
  const spec = encodeDefinition(JSON.stringify(aSpec));
  return {
    tenantId: DEFAULT_TENANT,
    runId: newUlid(now) as RunId,
    parentId: null,
    manifest,
    spec,
    sourceDirectory: '/src',
    sandboxProvider: 'local',
    idempotency: key === undefined ? null : { key },
    events: firstEvents(title, manifest.sha256, spec.sha256),
    ...rest,
  };
}

export function firstEvents(title: string, manifest_blob: string, spec_blob: string): StampedEvent[] {
  return [
    anEvent({
      event: 'run.created',
      properties: {
        spec_blob,
        manifest_blob,
        title,
        goal: '',
        workflow: { slug: 'w', name: null, graph_name: 'g', node_count: 2, edge_count: 1 },
        labels: {},
        sandbox_provider: 'local',
        provenance: { subject: someone },
      },
    }),
    anEvent({ event: 'run.submitted', properties: { definition_blob: spec_blob } }),
  ];
}

export function anEvent(event: RunEvent): StampedEvent {
  return stamp(event, Date.now());
}

export function aNotice(message: string): StampedEvent {
  return anEvent({ event: 'run.notice', properties: { level: 'info', code: 'test', message } });
}

export function theEnd(): StampedEvent {
  const timing = { wall_time_ms: 1, inference_time_ms: 0, tool_time_ms: 0, active_time_ms: 0 };
  return anEvent({
    event: 'run.completed',
    properties: { timing, artifact_count: 0, status: 'succeeded', reason: 'completed' },
  });
}

/** Submits runs and starts them in this order. */
export async function started(ledger: RunLedger, runs: readonly NewRun[]): Promise<RunKey[]> {
  await Promise.all(runs.map((run) => ledger.create(run)));
  await Promise.all(runs.map(({ tenantId, runId }) => ledger.start({ tenantId, runId, actor: someone })));
  return runs.map(({ tenantId, runId }) => ({ tenantId, runId }));
}

export async function addTenant(db: RunDatabase, name: string, maxConcurrentRuns: number | null): Promise<TenantId> {
  await db.sql('INSERT INTO tenants (id, name, max_concurrent_runs) VALUES ($1, $1, $2)', [name, maxConcurrentRuns]);
  return name as TenantId;
}

/** Ends a lease as time would. */
export async function expireLease(db: RunDatabase, { tenantId, runId }: RunKey): Promise<void> {
  await db.sql(
    `UPDATE run_heads SET lease_expires_at = now() - interval '1 second'
      WHERE tenant_id = $1 AND run_id = $2 AND lease_expires_at IS NOT NULL`,
    [tenantId, runId],
  );
}

export interface LoggedEvent {
  seq: number;
  epoch: number | null;
  id: string;
  event: string;
}

export function storedLog(db: RunDatabase, { tenantId, runId }: RunKey): Promise<LoggedEvent[]> {
  return db.sql<LoggedEvent>(
    'SELECT seq::int, epoch::int, id, event FROM run_events WHERE tenant_id = $1 AND run_id = $2 ORDER BY seq',
    [tenantId, runId],
  );
}
