// S1: a run of ten stages without work, created, started and followed to its end over HTTP, against two floors on the
// same PostgreSQL. `node bench/s1-steps.mjs [rounds]`
import { startFloor } from './support/floors.mjs';
import { chain, startStack } from './support/stack.mjs';
import { alternate, closedLoop, print, round } from './support/stats.mjs';

const rounds = Number(process.argv[2] ?? 3);
const STEPS = 10;
const stack = await startStack();
const pool = stack.database();
const source = chain(STEPS, 'shape=diamond');
const one = () => stack.run(source);

for (const [concurrency, total] of [
  [1, 100],
  [32, 640],
]) {
  const single = await startFloor(pool, 'single', STEPS);
  const floorSingle = () => closedLoop(total, concurrency, single.run);
  await closedLoop(total, concurrency, one);
  const results = await alternate(rounds, {
    runyard: () => closedLoop(total, concurrency, one),
    'floor, a commit a step': floorSingle,
  });
  single.stop();
  const group = await startFloor(pool, 'group', STEPS);
  Object.assign(
    results,
    await alternate(rounds, {
      'runyard (2)': () => closedLoop(total, concurrency, one),
      'floor, group commit': () => closedLoop(total, concurrency, group.run),
    }),
  );
  group.stop();
  for (const result of Object.values(results)) result.stepsPerSecond = round(result.perSecond * STEPS, 0);
  print(`S1, concurrency ${concurrency} (ms, medians of ${rounds} rounds)`, results, [
    `ratio to a commit a step: ${round(results.runyard.perSecond / results['floor, a commit a step'].perSecond)}`,
    `ratio to group commit:    ${round(results['runyard (2)'].perSecond / results['floor, group commit'].perSecond)}`,
  ]);
}

const commits = async () =>
  Number(
    (
      await pool.query(
        'SELECT pg_stat_force_next_flush(), (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS n',
      )
    ).rows[0].n,
  );
const settle = () => new Promise((resolve) => setTimeout(resolve, 1500));
const idle = await measureCommits(async () => settle());
const busy = await measureCommits(async () => {
  for (let i = 0; i < 50; i++) await one();
  await settle();
});
console.log(
  `\ncommits of one run of ${STEPS} stages: ${round((busy.count - (idle.count / idle.ms) * busy.ms) / 50, 1)} (idle chores subtracted)`,
);
await pool.end();
await stack.stop();

async function measureCommits(work) {
  await settle();
  const [before, began] = [await commits(), performance.now()];
  await work();
  return { count: (await commits()) - before, ms: performance.now() - began };
}
