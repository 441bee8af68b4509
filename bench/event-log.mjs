// What the size of the log costs those who append to it and read its end: the same calls on an empty log and on one of
// some million events in a year of months, in turns. `node bench/event-log.mjs [millions]`
import pg from 'pg';
import { startStack } from './support/stack.mjs';
import { alternate, closedLoop, print, round } from './support/stats.mjs';

const { applyMigrations, ColdLogs, Database, ensurePartitionsAhead, PgRunStore, RunLedger } =
  await import('../dist/libs/persistence/src/index.js');
const { SystemClock, newUlid } = await import('../dist/libs/kernel/src/index.js');
const { stamp } = await import('../dist/libs/events/src/index.js');

const millions = Number(process.argv[2] ?? 5);
const OWNER = 'bench';
const EVENTS_OF_A_RUN = 50;
const RUNS_OF_A_MILLION = 1_000_000 / EVENTS_OF_A_RUN;

/** Ids of the runs $1 to $2, spread over the last 365 days. */
const IDS = `(SELECT left(ulid_floor((now() - make_interval(days => 365 - r % 365))::date), 10) || lpad(r::text, 16, '0') AS id
   FROM generate_series($1::int, $2::int - 1) r) i`;
const FILL = [
  `INSERT INTO runs (tenant_id, id, manifest_sha256, spec_sha256, sandbox_provider, engine_version)
   SELECT 'default', id, '', '', 'local', 1 FROM ${IDS}`,
  `INSERT INTO run_heads (tenant_id, run_id, status, next_seq) SELECT 'default', id, 'succeeded', ${EVENTS_OF_A_RUN + 1} FROM ${IDS}`,
  `INSERT INTO run_events (tenant_id, run_id, seq, id, event, epoch, ts, body)
   SELECT 'default', id, seq, gen_random_uuid(), 'stage.completed', 1, now(),
          json_build_object('run_id', id, 'event', 'stage.completed', 'text', repeat(md5(id || seq), 11))
     FROM ${IDS} CROSS JOIN generate_series(1, ${EVENTS_OF_A_RUN}) seq`,
];

const stack = await startStack();
const server = stack.database();
const sites = { empty: await openSite('log_empty'), full: await openSite('log_full') };
await fill(sites.full.pool);

for (const what of ['append one event', 'read the last 20 events', 'look for runs to claim']) {
  const contestants = Object.entries(sites).map(([log, { calls }]) => [
    `${log} log`,
    () => closedLoop(4_000, 64, calls[what]),
  ]);
  for (const [, warm] of contestants) await warm();
  const results = await alternate(5, Object.fromEntries(contestants));
  results['full log'].toEmpty = round(results['full log'].perSecond / results['empty log'].perSecond);
  print(`${what}, 64 callers (per second, ms; medians of 5 rounds)`, results);
}
print('Megabytes of a million events', { events: await sizes(sites.full.pool) });
for (const { close } of Object.values(sites)) await close();
await server.end();
await stack.stop();

/** A database of its own on the server of the stack, with 64 runs that are held. */
async function openSite(name) {
  await server.query(`CREATE DATABASE ${name}`);
  const connectionString = Object.assign(new URL(server.options.connectionString), { pathname: `/${name}` }).href;
  await applyMigrations(connectionString, new URL('../prisma/migrations', import.meta.url).pathname);
  const pool = new pg.Pool({ connectionString, max: 2 });
  const database = new Database({ connectionString, maxConnections: 8, applicationName: 'bench' });
  await ensurePartitionsAhead(database);
  const signals = { appended() {}, promoted() {} };
  const clock = new SystemClock();
  const store = new PgRunStore(database, database, OWNER, signals, clock);
  const ledger = new RunLedger(database, signals, clock, new ColdLogs());
  const leases = await Promise.all(Array.from({ length: 64 }, () => heldRun(pool)));
  const first = Array.from({ length: 40 }, event);
  await Promise.all(leases.map((lease) => store.append(lease, { events: first, progress: false })));
  const renewing = setInterval(() => void store.renew(OWNER, leases), 2_000);
  let turn = 0;
  const next = () => leases[turn++ % leases.length];
  return {
    pool,
    calls: {
      'append one event': () => store.append(next(), { events: [event()], progress: false }),
      'read the last 20 events': () => ledger.readLog(next(), 21, 20, 41),
      'look for runs to claim': () => store.claim('nobody', 8),
    },
    async close() {
      clearInterval(renewing);
      await database.close();
      await pool.end();
    },
  };
}

/** Runs that are over, with events as large as those of commands. */
async function fill(pool) {
  await pool.query(
    `SELECT ensure_event_partition((date_trunc('month', now()) - make_interval(months => m))::date) FROM generate_series(1, 12) m`,
  );
  for (let m = 0; m < millions; m++) {
    const range = [m, Math.min(m + 1, millions)].map((million) => million * RUNS_OF_A_MILLION);
    for (const statement of FILL) await pool.query(statement, range);
  }
  await pool.query('VACUUM (ANALYZE) run_events, run_heads, runs');
  await pool.query('CHECKPOINT');
}

async function sizes(pool) {
  const { rows } = await pool.query(
    `SELECT sum(pg_relation_size(relid)) AS rows, sum(pg_indexes_size(relid)) AS key,
            sum(pg_total_relation_size(relid)) AS all FROM pg_partition_tree('run_events') WHERE isleaf`,
  );
  return Object.fromEntries(Object.entries(rows[0]).map(([what, bytes]) => [what, round(bytes / 1e6 / millions, 0)]));
}

function event() {
  const properties = { level: 'info', code: 'bench', message: 'x'.repeat(200) };
  return stamp({ event: 'run.notice', properties }, Date.now());
}

/** A run that the bench holds under a lease of its own. */
async function heldRun(pool) {
  const runId = newUlid(Date.now());
  await pool.query(
    "INSERT INTO runs (tenant_id, id, manifest_sha256, spec_sha256, sandbox_provider, engine_version) VALUES ('default', $1, '', '', 'local', 1)",
    [runId],
  );
  await pool.query(
    "INSERT INTO run_heads (tenant_id, run_id, status, slot, lease_owner, lease_epoch, lease_expires_at) VALUES ('default', $1, 'running', 'held', $2, 1, now() + interval '1 hour')",
    [runId, OWNER],
  );
  return { tenantId: 'default', runId, owner: OWNER, epoch: 1 };
}
