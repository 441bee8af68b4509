// What a page, a look-up, a creation and each chore cost where a million runs of ten thousand tenants are stored, beside
// the same on an almost empty database. `node bench/at-size.mjs --runs 1000000 --tenants 10000 [--small 1000]`
import { parseArgs } from 'node:util';
import { DiskObjectStore } from '../dist/libs/object-store/src/index.js';
import {
  ColdLogs,
  Database,
  dropEmptyPartitions,
  ensurePartitionsAhead,
  forgetOldIdempotencyKeys,
  LogRetention,
  readSystemFigures,
  RunViews,
  ViewCheck,
  ViewRenewal,
} from '../dist/libs/persistence/src/index.js';
import { loadAtSize } from './support/load-at-size.mjs';
import { chain, startStack } from './support/stack.mjs';
import { median, print, quantile, round } from './support/stats.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    tenants: { type: 'string', default: '10000' },
    small: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '15' },
  },
});
const ROUNDS = Number(values.rounds);
const TRIVIAL = 'digraph T { start [shape=Mdiamond] exit [shape=Msquare] start -> exit }';
const RUNS = '/api/v1/runs';

const small = await figures({ runs: Number(values.small), tenants: 1 });
const large = await figures({ runs: Number(values.runs), tenants: Number(values.tenants) });
const rows = Object.fromEntries(
  Object.entries(large).map(([name, { p50, p99 }]) => {
    const few = small[name];
    return [name, { 'few ms': few.p50, 'many ms': p50, 'many p99 ms': p99, ratio: round(p50 / few.p50) }];
  }),
);
print(`${values.runs} runs of ${values.tenants} tenants beside ${values.small} runs of one`, rows);

async function figures(size) {
  const stack = await startStack();
  const pool = stack.database();
  const template = await stack.run(TRIVIAL);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const began = performance.now();
  await loadAtSize(pool, { ...size, template });
  console.log(`loaded ${size.runs} runs in ${round((performance.now() - began) / 1000, 0)} s`);
  const measured = { ...(await requests(stack)), ...(await chores(pool, stack)) };
  await pool.end();
  const stopping = performance.now();
  await stack.stop();
  return { ...measured, SIGTERM: once(stopping) };
}

/** What people ask for, over HTTP. */
async function requests({ request, create, start, run }) {
  const list = (query) => () => request('GET', `${RUNS}?${query}`);
  const measured = {};
  const sorts = ['created_at', 'updated_at', 'status', 'elapsed', 'repo', 'title', 'workflow', 'changes', 'size'];
  for (const sort of sorts) measured[`list by ${sort}`] = await timed(list(`sort=${sort}`));
  measured['list, the oldest first'] = await timed(list('direction=asc'));
  for (const status of ['running', 'failed', 'succeeded', 'archived'])
    measured[`list, ${status} only`] = await timed(list(`status=${status}`));
  const [{ id: newest }] = (await request('GET', `${RUNS}?limit=1`)).data;
  const [{ id: oldest }] = (await request('GET', `${RUNS}?limit=1&direction=asc`)).data;
  measured['list, children only'] = await timed(list(`parent_id=${oldest}`));
  let cursor = (await request('GET', RUNS)).meta.next_cursor;
  measured['list, behind a cursor'] = await timed(async () => {
    cursor = (await request('GET', `${RUNS}?cursor=${cursor}`)).meta.next_cursor;
  });
  measured['list, behind 900 rows'] = await timed(list('offset=900'));
  measured['run'] = await timed(() => request('GET', `${RUNS}/${newest}`));
  const resolve = (selector) => () => request('GET', `${RUNS}/resolve?selector=${selector}`);
  measured['resolve a workflow'] = await timed(resolve('Workflow%20499'));
  measured['resolve an id'] = await timed(resolve(newest.slice(0, 24)));
  measured['resolve what is none'] = await timed(() => resolve('nothing')().catch(() => undefined));
  const created = [];
  measured['create'] = await timed(async () => created.push(await create(chain(3, 'shape=diamond'))), 30);
  measured['start'] = await timed(() => start(created.pop()), 30);
  measured['create, start, claim and end'] = await timed(() => run(TRIVIAL), 30);
  measured['count (system info)'] = await timed(() => request('GET', '/api/v1/system/info'));
  measured['df'] = await timed(() => request('GET', '/api/v1/system/df'), 1);
  measured['df -v'] = await timed(() => request('GET', '/api/v1/system/df?verbose=true'), 1);
  const prune = (body) => () => request('POST', '/api/v1/system/prune/runs', { dry_run: true, ...body });
  measured['prune, a thousand'] = await timed(prune({ older_than: '0h' }), 3);
  measured['prune, of no workflow'] = await timed(prune({ workflow: 'nothing' }), 1);
  measured['repair, one request'] = await timed(() => request('GET', '/api/v1/system/repair/runs'), 1);
  const removed = (await request('GET', `${RUNS}?status=failed&limit=10`)).data.map(({ id }) => id);
  measured['remove'] = await timed(() => request('DELETE', `${RUNS}/${removed.pop()}`), 8);
  return measured;
}

/** One round of each chore, as a server does it. */
async function chores(pool, { home }) {
  const connectionString = pool.options.connectionString;
  const database = new Database({ connectionString, maxConnections: 4, applicationName: 'at-size' });
  const objects = new DiskObjectStore(`${home}/at-size`);
  const cold = new ColdLogs(objects);
  const views = new RunViews(database, cold);
  // The columns of the copies are made up, so the check folds each of them anew: its dearest case.
  const log = { info: () => {}, warn: () => {} };
  const retention = new LogRetention(database, views, objects, cold, { days: 30, log });
  const measured = {
    'figures of the system': await timed(() => readSystemFigures(database), 5),
    'partitions, a round': await timed(async () => {
      await ensurePartitionsAhead(database);
      await dropEmptyPartitions(database);
    }, 3),
    'idempotency keys, a round': await timed(() => forgetOldIdempotencyKeys(database), 1),
    'idempotency keys, the next': await timed(() => forgetOldIdempotencyKeys(database), 1),
    'retention, a round': await timed(() => retention.round(), 1),
    'renewal of read models, a look': await timed(() => new ViewRenewal(database, views, log).round(), 3),
  };
  measured['check of read models, a step'] = await timed(async () => {
    await pool.query('UPDATE view_check SET not_before = now()');
    await new ViewCheck(database, views, cold, log).round();
  }, 3);
  // Everything is outdated, as after an upgrade: the server is told to stop in the middle of it.
  await pool.query(`UPDATE run_views SET version = 0 WHERE ctid IN (SELECT ctid FROM run_views LIMIT 200000)`);
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  await database.close();
  return measured;
}

async function timed(one, times = ROUNDS) {
  const all = [];
  if (times > 3) await one();
  for (let n = times > 3 ? 1 : 0; n < times; n++) {
    const began = performance.now();
    await one();
    all.push(performance.now() - began);
  }
  return { p50: round(median(all)), p99: round(quantile(all, 0.99)) };
}

function once(began) {
  const ms = round(performance.now() - began);
  return { p50: ms, p99: ms };
}
