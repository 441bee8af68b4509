import { fileURLToPath } from 'node:url';
import { packageVersion, type ServerConfig } from '#libs/config';
import type { EventNotices, ObjectStore } from '#libs/engine';
import { PgEventNotices, RedisEventNotices } from '#libs/event-stream';
import { SystemClock, type Clock } from '#libs/kernel';
import { assertObjectsFit, DiskObjectStore, S3ObjectStore } from '#libs/object-store';
import {
  AccessTokens,
  applyMigrations,
  ColdLogs,
  Database,
  forgetOldIdempotencyKeys,
  dropEmptyPartitions,
  ensurePartitionsAhead,
  LogRetention,
  migrationNames,
  Outbox,
  Reaper,
  RecentEvents,
  RunLedger,
  RunReader,
  RunViews,
  Slots,
  ViewCheck,
  ViewRenewal,
} from '#libs/persistence';
import { assertRedisFit, BullMqRunBell } from '#libs/queue';
import { Upkeep, type Chore, type RunBell } from '#libs/scheduling';
import { OtlpTraces } from '#libs/telemetry';
import { Delivery } from './delivery.js';
import type { Logger } from './logger.js';
import { observabilityOf, type Observability } from './observability.js';
import { closeOverdueQuestions } from './paused-questions.js';
import { TraceKeeper } from './trace-keeper.js';
import { endUnheardCancels } from './unheard-cancels.js';
import { ViewKeeper } from './view-keeper.js';

/** Beside the compiled program. */
export const MIGRATIONS = fileURLToPath(new URL('../../../../prisma/migrations', import.meta.url));

/** What every server process stands on: database, queue, notices, objects, and the chores that keep runs moving. */
export interface Platform {
  readonly databaseUrl: string;
  readonly database: Database;
  readonly clock: SystemClock;
  readonly bell: RunBell;
  readonly notices: EventNotices;
  readonly objects: ObjectStore;
  readonly delivery: Delivery;
  readonly tokens: AccessTokens;
  readonly ledger: RunLedger;
  readonly views: RunViews;
  readonly reader: RunReader;
  readonly upkeep: Upkeep;
  readonly observability: Observability;
  close(): Promise<void>;
}

export interface PlatformOptions {
  config: ServerConfig;
  databaseUrl: string;
  /** Names the process in PostgreSQL and in the log. */
  service: string;
  maxConnections: number;
  log: Logger;
  /** Where the migrations lie, when not beside the compiled program. */
  migrations?: string;
}

/**
 * Opens the platform: migrates the schema first, then connects. Rejects by name when the database, its schema, Redis
 * or the place for objects cannot be used; nothing is left open then.
 */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const { config, databaseUrl, service, log } = options;
  const migrations = options.migrations ?? MIGRATIONS;
  await applyMigrations(databaseUrl, migrations);
  if (config.redisUrl !== null) await assertRedisFit(config.redisUrl, log);
  const objects = openObjects(config);
  await assertObjectsFit(objects, placeOf(config), log);

  const traces = await tracesOf(config, (...asked) => ledger.readLog(...asked), log);
  const clock = new SystemClock();
  const database = new Database({
    connectionString: databaseUrl,
    maxConnections: options.maxConnections,
    applicationName: service,
  });
  await ensurePartitionsAhead(database);
  const bell =
    config.redisUrl === null
      ? BullMqRunBell.onPostgres(databaseUrl, { log })
      : BullMqRunBell.onRedis(config.redisUrl, { log });
  const notices =
    config.redisUrl === null ? new PgEventNotices(databaseUrl, log) : new RedisEventNotices(config.redisUrl, log);
  const cold = new ColdLogs(objects);
  const views = new RunViews(database, cold);
  const keeper = new ViewKeeper(views, log);
  const outbox = new Outbox(database);
  const recent = new RecentEvents();
  const delivery = new Delivery(notices, bell, outbox, log, (grown) => {
    recent.add(grown);
    keeper.note(grown);
    traces?.note(grown);
  });
  const slots = new Slots(database, delivery, clock);
  const tokens = new AccessTokens(databaseUrl);
  await slots.setLimit(config.maxConcurrentRuns);
  const ledger: RunLedger = new RunLedger(database, delivery, clock, cold, recent);
  const days = config.moveLogsAfterDays;
  const retention = days === null ? null : new LogRetention(database, views, objects, cold, { days, log });
  const viewCheck = new ViewCheck(database, views, cold, log);
  const renewal = new ViewRenewal(database, views, log);
  const upkeep: Upkeep = new Upkeep(
    [
      { name: WAKE, everyMs: 1_000, run: () => wake(slots, ledger, clock, () => upkeep.hurry(WAKE)) },
      ...(config.redisUrl === null ? [] : [probing(bell)]),
      ...chores(database, slots, delivery, bell),
      { name: 'renew read models', everyMs: 5_000, run: () => renewal.round() },
      ...(retention ? [{ name: 'retention', everyMs: 60_000, run: () => retention.round() }] : []),
      { name: 'check read models', everyMs: 5_000, run: () => viewCheck.round() },
    ],
    log,
  );

  return {
    databaseUrl,
    database,
    clock,
    bell,
    notices,
    objects,
    delivery,
    tokens,
    ledger,
    views,
    reader: new RunReader(database, views),
    upkeep,
    observability: observabilityOf({
      database,
      migrations: await migrationNames(migrations),
      bell,
      bellIsOnRedis: config.redisUrl !== null,
      upkeep,
    }),
    async close() {
      retention?.stop();
      viewCheck.stop();
      renewal.stop();
      await upkeep.stop();
      await keeper.close();
      await traces?.close();
      await delivery.close();
      await Promise.allSettled([bell.close(), notices.close(), tokens.close()]);
      await database.close();
    },
  };
}

async function tracesOf({ tracesUrl: url }: ServerConfig, readLog: RunLedger['readLog'], log: Logger) {
  if (url === null) return null;
  return new TraceKeeper(await OtlpTraces.open({ url, version: packageVersion() }), readLog, log);
}

function openObjects({ objects }: ServerConfig): ObjectStore {
  if (objects.kind === 'disk') return new DiskObjectStore(objects.root);
  const { bucket, region, endpoint, prefix } = objects;
  return new S3ObjectStore({ bucket, region, prefix, ...(endpoint !== null && { endpoint, pathStyle: true }) });
}

function placeOf({ objects }: ServerConfig): string {
  if (objects.kind === 'disk') return objects.root;
  return `the bucket "${objects.bucket}"${objects.endpoint === null ? '' : ` at ${objects.endpoint}`}`;
}

const WAKE = 'wake and promote';
/** Well within the time in which readiness wants one. */
const PROBE_EVERY_MS = 5_000;

/** Wakes what is due, and comes back in time for a run that is due before the next round. */
async function wake(slots: Slots, ledger: RunLedger, clock: Clock, hurry: () => void): Promise<void> {
  await slots.wakeAndPromote();
  await closeOverdueQuestions(slots, ledger, clock);
  await endUnheardCancels(slots, ledger, clock);
  const nextMs = await slots.nextWakeMs();
  if (nextMs !== null && nextMs < 1_000) setTimeout(hurry, Math.max(0, nextMs)).unref();
}

/** Sends a job round, for the readiness of whoever hears it; only processes that hear jobs themselves do. */
function probing(bell: RunBell): Chore {
  return {
    name: 'probe the queue',
    everyMs: PROBE_EVERY_MS,
    async run() {
      if (bell.heardAgoMs() !== null) await bell.roundTrip(PROBE_EVERY_MS);
    },
  };
}

/** Whatever was forgotten is found by these, in any process, any number of times. */
function chores(database: Database, slots: Slots, delivery: Delivery, bell: RunBell): readonly Chore[] {
  const reaper = new Reaper(database);
  return [
    { name: 'outbox', everyMs: 2_000, run: () => delivery.deliverDue() },
    {
      name: 'reap dead workers',
      everyMs: 150,
      run: async () => {
        if ((await reaper.look()) > 0) await bell.ring(await slots.unclaimed());
      },
    },
    {
      name: 'ring for unclaimed runs',
      everyMs: 5_000,
      run: async () => {
        const hints = await slots.unclaimed();
        if (hints.length > 0) await bell.ring(hints);
      },
    },
    { name: 'forget idempotency keys', everyMs: 60_000, run: () => forgetOldIdempotencyKeys(database) },
    {
      name: 'partitions',
      everyMs: 3_600_000,
      run: async () => {
        const missing = await ensurePartitionsAhead(database);
        await dropEmptyPartitions(database);
        if (missing.length > 0)
          throw new Error(`The log has no partition yet for the months of ${missing.join(', ')}.`);
      },
    },
  ];
}
