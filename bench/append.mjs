// The event writer against a bare one-row insert with commit on the same PostgreSQL: one run at a time, and many runs
// whose appends share commits. `node bench/append.mjs [rounds]`
import { randomUUID } from 'node:crypto';
import { startStack } from './support/stack.mjs';
import { alternate, closedLoop, print, round } from './support/stats.mjs';

const { Database, PgRunStore } = await import('../dist/libs/persistence/src/index.js');
const { SystemClock, newUlid } = await import('../dist/libs/kernel/src/index.js');
const { stamp } = await import('../dist/libs/events/src/index.js');

const rounds = Number(process.argv[2] ?? 3);
const stack = await startStack();
const pool = stack.database();
const connectionString = pool.options.connectionString;
const database = new Database({ connectionString, maxConnections: 8, applicationName: 'bench' });
const owner = `bench-${randomUUID()}`;
const signals = { appended() {}, promoted() {} };
const store = new PgRunStore(database, database, owner, signals, new SystemClock());
const leases = await Promise.all(Array.from({ length: 64 }, () => heldRun()));
const event = () =>
  stamp({ event: 'run.notice', properties: { level: 'info', code: 'bench', message: 'x'.repeat(200) } }, Date.now());

await pool.query(
  'CREATE TABLE IF NOT EXISTS bench_rows (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body json)',
);
const body = JSON.stringify(event());
const insert = () => pool.query({ name: 'insert', text: 'INSERT INTO bench_rows (body) VALUES ($1)', values: [body] });
let turn = 0;
const append =
  (runs, events = 1) =>
  () => {
    const lease = leases[turn++ % runs];
    return store.append(lease, { events: Array.from({ length: events }, event) });
  };

for (const [title, concurrency, total, contestants] of [
  ['one caller', 1, 2000, { 'bare insert': insert, 'append, 1 event': append(1) }],
  [
    '64 callers',
    64,
    20000,
    {
      'bare insert': insert,
      'append, 64 runs, 1 event each': append(64),
      'append, 64 runs, 4 events each': append(64, 4),
    },
  ],
]) {
  await closedLoop(500, concurrency, append(concurrency));
  const results = await alternate(
    rounds,
    Object.fromEntries(
      Object.entries(contestants).map(([name, one]) => [name, () => closedLoop(total, concurrency, one)]),
    ),
  );
  const floor = results['bare insert'].perSecond;
  for (const result of Object.values(results)) result.toBareInsert = round(result.perSecond / floor);
  print(`Appends, ${title} (per second, ms; medians of ${rounds} rounds)`, results);
}
await database.close();
await pool.end();
await stack.stop();

/** A run that the bench holds under a lease of its own. */
async function heldRun() {
  const runId = newUlid(Date.now());
  await pool.query(
    "INSERT INTO runs (tenant_id, id, manifest_sha256, spec_sha256, sandbox_provider, engine_version) VALUES ('default', $1, '', '', 'local', 1)",
    [runId],
  );
  await pool.query(
    "INSERT INTO run_heads (tenant_id, run_id, status, slot, lease_owner, lease_epoch, lease_expires_at) VALUES ('default', $1, 'running', 'held', $2, 1, now() + interval '1 hour')",
    [runId, owner],
  );
  return { tenantId: 'default', runId, owner, epoch: 1 };
}
