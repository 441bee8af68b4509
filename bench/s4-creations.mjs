// S4: creations over HTTP (parsed, validated, compiled, stored), against a bare HTTP service that stores one row, alone
// and in groups. `node bench/s4-creations.mjs [rounds]`
import { startFloor } from './support/floors.mjs';
import { chain, startStack } from './support/stack.mjs';
import { alternate, closedLoop, print, round } from './support/stats.mjs';

const rounds = Number(process.argv[2] ?? 3);
const [TOTAL, CONCURRENCY] = [3000, 32];
const stack = await startStack();
const pool = stack.database();
const source = chain(10, 'shape=diamond');
const create = () => stack.create(source);

await closedLoop(300, CONCURRENCY, create);
const single = await startFloor(pool, 'single');
const results = await alternate(rounds, {
  runyard: () => closedLoop(TOTAL, CONCURRENCY, create),
  'floor, a commit a creation': () => closedLoop(TOTAL, CONCURRENCY, single.create),
});
single.stop();
const group = await startFloor(pool, 'group');
Object.assign(
  results,
  await alternate(rounds, {
    'runyard (2)': () => closedLoop(TOTAL, CONCURRENCY, create),
    'floor, group commit': () => closedLoop(TOTAL, CONCURRENCY, group.create),
  }),
);
group.stop();
print(`S4, concurrency ${CONCURRENCY} (ms, medians of ${rounds} rounds)`, results, [
  `ratio to a commit a creation: ${round(results.runyard.perSecond / results['floor, a commit a creation'].perSecond)}`,
  `ratio to group commit:        ${round(results['runyard (2)'].perSecond / results['floor, group commit'].perSecond)}`,
]);
await pool.end();
await stack.stop();
