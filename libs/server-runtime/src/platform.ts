import { fileURLToPath } from 'node:url';
import { packageVersion, type ServerConfig } from '#libs/config';
import type { EventNotices, ObjectStore } from '#libs/engine';
import { PgEventNotices, RedisEventNotices } from '#libs/event-stream';
import { openWhole, SystemClock, type CloseStack } from '#libs/kernel';
import { assertObjectsFit, DiskObjectStore, S3ObjectStore } from '#libs/object-store';
import {
  AccessTokens,
  applyMigrations,
  ClockFollower,
  ColdLogs,
  Database,
  ensurePartitionsAhead,
  LogRetention,
  migrationNames,
  PgElection,
  RecentEvents,
  RunLedger,
  RunReader,
  RunViews,
  Slots,
  unsafeSettings,
  ViewCheck,
  ViewRenewal,
} from '#libs/persistence';
import { assertRedisFit, BullMqRunBell } from '#libs/queue';
import { Upkeep, type RunBell } from '#libs/scheduling';
import { OtlpTraces } from '#libs/telemetry';
import { electedChores, following, probing } from './chores.js';
import { Delivery } from './delivery.js';
import type { Logger } from './logger.js';
import { observabilityOf, type Observability } from './observability.js';
import { TraceKeeper } from './trace-keeper.js';
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
export function openPlatform(options: PlatformOptions): Promise<Platform> {
  return openWhole((opened) => openParts(options, opened));
}

async function openParts(options: PlatformOptions, opened: CloseStack): Promise<Platform> {
  const { config, databaseUrl, service, log } = options;
  const migrations = options.migrations ?? MIGRATIONS;
  await applyMigrations(databaseUrl, migrations);
  if (config.redisUrl !== null) await assertRedisFit(config.redisUrl, log);
  const objects = openObjects(config, opened);
  await assertObjectsFit(objects, placeOf(config), log);

  const clock = new SystemClock();
  const database = opened.add(
    new Database({ connectionString: databaseUrl, maxConnections: options.maxConnections, applicationName: service }),
    (it) => it.close(),
  );
  await ensurePartitionsAhead(database);
  for (const setting of await unsafeSettings(database)) log.warn({ setting, is: 'off' }, LOSES_COMMITS);
  const follower = opened.add(new ClockFollower(database, clock), (it) => it.stop());
  await follower.ask();
  follower.start();
  const bell = opened.add(openBell(options), (it) => it.close());
  const notices = opened.add(openNotices(options), (it) => it.close());
  const tokens = opened.add(new AccessTokens(databaseUrl), (it) => it.close());
  const traces = await tracesOf(config, (...asked) => ledger.readLog(...asked), log);
  opened.add(traces, (it) => it?.close());
  const cold = new ColdLogs(objects);
  const views = new RunViews(database, cold);
  const keeper = opened.add(new ViewKeeper(views, log), (it) => it.close());
  const recent = new RecentEvents();
  const delivery = new Delivery(notices, bell, log, (grown) => {
    recent.add(grown);
    keeper.note(grown);
    traces?.note(grown);
  });
  const slots = new Slots(database, delivery, clock);
  if (config.maxConcurrentRuns !== null) await slots.setLimit(config.maxConcurrentRuns);
  const ledger: RunLedger = new RunLedger(database, delivery, clock, cold, recent);
  const days = config.moveLogsAfterDays;
  const retention = days === null ? null : new LogRetention(database, views, objects, cold, { days, log });
  const viewCheck = new ViewCheck(database, views, cold, log);
  const renewal = new ViewRenewal(database, views, log);
  const hurry = (name: string): void => upkeep.hurry(name);
  const elected = electedChores({
    database,
    slots,
    ledger,
    renewal,
    viewCheck,
    retention,
    bell,
    follower,
    log,
    hurry,
  });
  const own = [following(follower), ...(config.redisUrl === null ? [] : [probing(bell)])];
  const upkeep: Upkeep = opened.add(
    new Upkeep([...elected, ...own], log, new PgElection(databaseUrl, service)),
    async (it) => {
      retention?.stop();
      viewCheck.stop();
      renewal.stop();
      await it.stop();
    },
  );
  const bellIsOnRedis = config.redisUrl !== null;
  const parts = { database, migrations: await migrationNames(migrations), bell, bellIsOnRedis, upkeep };
  return {
    ...{ databaseUrl, database, clock, bell, notices, objects, delivery, tokens, ledger, views, upkeep },
    reader: new RunReader(database, views),
    observability: observabilityOf(parts),
    close: () => opened.close(),
  };
}

function openBell({ config, databaseUrl, log }: PlatformOptions): RunBell {
  return config.redisUrl === null
    ? BullMqRunBell.onPostgres(databaseUrl, { log })
    : BullMqRunBell.onRedis(config.redisUrl, { log });
}

function openNotices({ config, databaseUrl, log }: PlatformOptions): EventNotices {
  return config.redisUrl === null ? new PgEventNotices(databaseUrl, log) : new RedisEventNotices(config.redisUrl, log);
}

async function tracesOf({ tracesUrl: url }: ServerConfig, readLog: RunLedger['readLog'], log: Logger) {
  if (url === null) return null;
  return new TraceKeeper(await OtlpTraces.open({ url, version: packageVersion() }), readLog, log);
}

function openObjects({ objects }: ServerConfig, opened: CloseStack): ObjectStore {
  if (objects.kind === 'disk') return new DiskObjectStore(objects.root);
  const { bucket, region, endpoint, prefix } = objects;
  const options = { bucket, region, prefix, ...(endpoint !== null && { endpoint, pathStyle: true }) };
  return opened.add(new S3ObjectStore(options), (it) => it.close());
}

function placeOf({ objects }: ServerConfig): string {
  if (objects.kind === 'disk') return objects.root;
  return `the bucket "${objects.bucket}"${objects.endpoint === null ? '' : ` at ${objects.endpoint}`}`;
}

const LOSES_COMMITS = 'PostgreSQL loses what it has acknowledged when its machine fails, until this setting is on.';
