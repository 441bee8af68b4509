// S5: a worker is killed in the middle of a run of twenty commands of 100 ms; how long until another one has claimed the
// run, and until the next command of it starts, against the time between two commands that nobody disturbs. Commands that
// were at work are adopted, not repeated. `node bench/s5-crash.mjs [kills]`
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { chain, startStack } from './support/stack.mjs';
import { median, print, quantile, round } from './support/stats.mjs';

const kills = Number(process.argv[2] ?? 7);
const WORKER = new URL('../dist/apps/worker/src/main.js', import.meta.url).pathname;
const AFTER_STEPS = 6;
const commands = (n, script) => chain(n, `shape=parallelogram, script="${script}"`);

const stack = await startStack({ RUNYARD_WORKER_SLOTS: '1' });
const pool = stack.database();
const env = { ...process.env, RUNYARD_HOME: stack.home, RUNYARD_LOG: 'error', RUNYARD_WORKER_SLOTS: '4' };
const startWorker = () =>
  spawn(process.execPath, [WORKER], {
    env: { ...env, DATABASE_URL: pool.options.connectionString },
    stdio: ['ignore', 'ignore', 'inherit'],
  });

// The server's own worker has its one slot taken, so the two others drive what follows.
const blocker = await stack.create(commands(1, 'sleep 900'));
await stack.start(blocker);
await sleep(2_000);
const workers = new Set([startWorker(), startWorker()]);
await sleep(5_000);

const trials = [];
for (let i = 0; i < kills; i++) trials.push(await trial());

const claims = trials.map(({ claimed }) => claimed);
const nexts = trials.map(({ next }) => next);
const gaps = trials.flatMap(({ gaps: each }) => each);
print(`S5, ${kills} kills (ms)`, {
  'kill to the claim of another worker': { p50: round(median(claims), 0), max: round(quantile(claims, 1), 0) },
  'kill to the next command': { p50: round(median(nexts), 0), max: round(quantile(nexts, 1), 0) },
  'command to command, undisturbed': { p50: round(median(gaps), 0), max: round(quantile(gaps, 1), 0) },
  'commands that ran twice': { total: trials.reduce((sum, { repeated }) => sum + repeated, 0) },
});
await stack.request('POST', `/api/v1/runs/${blocker}/cancel`, {});
for (const worker of workers) worker.kill('SIGTERM');
await Promise.all([...workers].map((worker) => new Promise((resolve) => worker.once('exit', resolve))));
await pool.end();
await stack.stop();

/** One run whose worker is killed behind its sixth command. */
async function trial() {
  const id = await stack.create(commands(20, 'sleep 0.1'));
  const starts = [];
  let driver;
  let killedAt;
  let claimed;
  let next;
  let tail = '';
  const hear = ({ event, properties }) => {
    const now = performance.now();
    if (event === 'run.claimed' && killedAt === undefined) driver = Number(properties.worker_id.split('-').at(-2));
    else if (event === 'run.claimed') claimed ??= now - killedAt;
    if (event !== 'command.started') return;
    starts.push(now);
    if (claimed !== undefined) next ??= now - killedAt;
    if (starts.length === AFTER_STEPS) setTimeout(kill, 50);
  };
  const kill = () => {
    const [victim] = [...workers].filter(({ pid }) => pid === driver);
    victim.kill('SIGKILL');
    killedAt = performance.now();
    workers.delete(victim);
    workers.add(startWorker());
  };
  await stack.start(id);
  await stack.attach(id, (part) => {
    const lines = (tail + part).split('\n');
    tail = lines.pop();
    for (const line of lines) if (line.startsWith('data:')) hear(JSON.parse(line.slice(5)));
  });
  await sleep(3_000);
  const gaps = starts.slice(1, AFTER_STEPS).map((at, n) => at - starts[n]);
  return { claimed, next, gaps, repeated: starts.length - 20 };
}
