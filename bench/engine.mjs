// The engine: walking alone, without a store, along chains and over branches; and the same walks durable on the embedded
// stack, from create to end over HTTP. `node bench/engine.mjs [rounds]`
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { chain, fork, startStack } from './support/stack.mjs';
import { alternate, median, print, round } from './support/stats.mjs';

const { compile } = await import('../dist/libs/language/src/index.js');
const { initialState, RunDefinition, Walk } = await import('../dist/libs/engine/src/index.js');

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc');

const rounds = Number(process.argv[2] ?? 5);
const DECIDING = 'shape=diamond';
const COMMAND = 'shape=parallelogram, script="true"';
const PROMPT = 'shape=tab, prompt="Hi", provider=simulated, model=simulated';

const DONE = { kind: 'outcome', outcome: { status: 'succeeded' } };
const SHAPES = { decisions: DECIDING, commands: COMMAND };
const pure = Object.entries(SHAPES).flatMap(([kind, attributes]) => [
  [`chain of 1000 ${kind}`, chain(1_000, attributes)],
  [`chain of 10000 ${kind}`, chain(10_000, attributes)],
  [`100 branches of ${kind}`, fork(100, attributes)],
  [`1000 branches of ${kind}`, fork(1_000, attributes)],
]);
const walks = Object.fromEntries(pure.map(([name, source]) => [name, walkOf(source)]));
for (const walk of Object.values(walks)) await walk();
const walked = await alternate(rounds, walks);
const growth = (more, less) => round(walked[more].ms / walked[less].ms, 1);
print(
  `Walking alone (medians of ${rounds} rounds)`,
  walked,
  Object.keys(SHAPES).map(
    (kind) =>
      `ten times the ${kind} take ${growth(`chain of 10000 ${kind}`, `chain of 1000 ${kind}`)} times as long in a chain, ` +
      `${growth(`1000 branches of ${kind}`, `100 branches of ${kind}`)} times in branches`,
  ),
);

const stack = await startStack();
const pool = stack.database();
const durable = {
  'chain of 100 decisions': [100, chain(100, DECIDING)],
  'chain of 100 commands': [100, chain(100, COMMAND)],
  'chain of 100 prompts': [100, chain(100, PROMPT)],
  '1000 branches of decisions': [1_000, fork(1_000, DECIDING)],
};
const rows = {};
for (const [name, [stages, source]] of Object.entries(durable)) {
  await endToEnd(source);
  const runs = [];
  for (let i = 0; i < rounds; i++) runs.push(await endToEnd(source));
  const [{ id }] = runs;
  const { commits, events, bytes } = await logOf(id);
  const ms = median(runs.map((run) => run.ms));
  rows[name] = {
    'create to end, ms': round(ms, 1),
    'ms a stage': round(ms / stages),
    'events a stage': round(events / stages),
    'commits a stage': round(commits / stages, 3),
    'KiB a stage': round(bytes / stages / 1_024),
    'same rows in one insert, ms': round(await insertOf(id), 1),
  };
}
print(`Durable on the embedded stack, over HTTP (medians of ${rounds} rounds)`, rows);
await pool.end();
await stack.stop();

/** A walk along a source by a worker that does nothing, with a store that keeps nothing; and what the state then holds. */
function walkOf(source) {
  const { graph, diagnostics } = compile(source);
  if (!graph) throw new Error(diagnostics[0].message);
  const run = { goal: null, execution: { mode: 'normal' }, environment: { env: {} } };
  const definition = new RunDefinition('01J0000000000000000000000A', { graph, settings: { run } }, null);
  return async () => {
    const began = performance.now();
    let { state, stages } = walkToEnd(definition);
    const ms = performance.now() - began;
    const held = await heapMiB();
    if (state.phase !== 'ended') throw new Error('The walk did not end.');
    state = undefined;
    return { ms, stagesPerSecond: (stages / ms) * 1_000, heapMiB: held - (await heapMiB()) };
  };
}

function walkToEnd(definition) {
  const state = initialState(definition.index.start.id);
  const walk = new Walk(definition, state, { now: Date.now(), epoch: 1, random: Math.random });
  const work = [];
  let stages = 0;
  for (let step = walk.begin(); !step.ended;) {
    work.push(...step.work);
    stages += step.events.filter(({ event }) => event === 'stage.completed').length;
    const next = step.more ? undefined : work.shift();
    step = next ? walk.finish(next.path, next.stage.id, DONE) : walk.advance();
  }
  return { state, stages };
}

async function heapMiB() {
  await turn();
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

async function endToEnd(source) {
  const began = performance.now();
  const id = await stack.run(source);
  return { id, ms: performance.now() - began };
}

/** Rows of one transaction have the same `xmin`, so these are the commits that wrote the run's events. */
async function logOf(runId) {
  const { rows } = await pool.query(
    `SELECT count(*)::int AS events, count(DISTINCT xmin::text)::int AS commits, sum(octet_length(body::text))::int AS bytes
       FROM run_events WHERE run_id = $1`,
    [runId],
  );
  return rows[0];
}

/** What PostgreSQL needs to store the same rows at once. */
async function insertOf(runId) {
  await pool.query(
    'CREATE TABLE IF NOT EXISTS bench_log (run_id text, seq bigint, body json, PRIMARY KEY (run_id, seq))',
  );
  const { rows } = await pool.query('SELECT seq, body::text FROM run_events WHERE run_id = $1', [runId]);
  const times = [];
  for (let i = 0; i < rounds; i++) {
    const began = performance.now();
    await pool.query('INSERT INTO bench_log SELECT $1, * FROM unnest($2::bigint[], $3::json[])', [
      `${runId}/${i}`,
      rows.map(({ seq }) => seq),
      rows.map(({ body }) => body),
    ]);
    times.push(performance.now() - began);
  }
  return median(times);
}
