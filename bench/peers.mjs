// S1, S4 and S6 beside other services, in turns within each round. A peer answers POST /run {steps, kind: "noop"} when
// a run of that many durable steps has ended, POST /create when it is stored, POST /fanout {n} when so many steps side
// by side have ended. `node bench/peers.mjs [--rounds 5] name=http://127.0.0.1:port ...`
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { chain, fork, startStack } from './support/stack.mjs';
import { alternate, closedLoop, print, round } from './support/stats.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string', default: 'S1,S4,S6' } },
});
const rounds = Number(values.rounds);
const peers = Object.fromEntries(positionals.map((pair) => pair.split(/=(.*)/s, 2)));
const wanted = values.only.split(',');
const [STEPS, BRANCHES] = [10, 1_000];
const stack = await startStack();
const dispatcher = new Agent({ connections: 32, headersTimeout: 300_000, bodyTimeout: 300_000 });

const ask = async (base, path, body) => {
  const { statusCode, body: answer } = await request(base + path, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (statusCode >= 300) throw new Error(`${base + path}: ${statusCode} ${text.slice(0, 200)}`);
};

const steps = chain(STEPS, 'shape=diamond');
const branches = fork(BRANCHES, 'shape=diamond');
const scenarios = {
  S1: [
    [1, 100],
    [32, 640],
  ].map(([concurrency, total]) => ({
    title: `S1, ${STEPS} steps, concurrency ${concurrency}`,
    ...{ total, concurrency },
    own: () => stack.run(steps),
    peer: (base) => () => ask(base, '/run', { steps: STEPS, kind: 'noop' }),
  })),
  S4: [
    {
      title: 'S4, creations, concurrency 32',
      ...{ total: 3_000, concurrency: 32 },
      own: () => stack.create(steps),
      peer: (base) => () => ask(base, '/create', {}),
    },
  ],
  S6: [
    {
      title: `S6, ${BRANCHES} branches`,
      ...{ total: 3, concurrency: 1 },
      own: () => stack.run(branches),
      peer: (base) => () => ask(base, '/fanout', { n: BRANCHES }),
    },
  ],
};

for (const scenario of wanted.flatMap((name) => scenarios[name])) {
  const { title, total, concurrency, own, peer } = scenario;
  const contestants = Object.fromEntries(
    Object.entries({ runyard: own, ...Object.fromEntries(Object.entries(peers).map(([n, at]) => [n, peer(at)])) }).map(
      ([name, one]) => [name, () => closedLoop(total, concurrency, one)],
    ),
  );
  for (const warm of Object.values(contestants)) await warm();
  const results = await alternate(rounds, contestants);
  print(
    `${title} (ms, medians of ${rounds} rounds)`,
    results,
    Object.keys(peers).map((name) => {
      const [ours, theirs] = [results.runyard, results[name]];
      return `against ${name}: ${round(ours.perSecond / theirs.perSecond)} of its rate, ${round(ours.p50 / theirs.p50)} of its median time, ${round(ours.p99 / theirs.p99)} of its p99`;
    }),
  );
}
await dispatcher.close();
await stack.stop();
