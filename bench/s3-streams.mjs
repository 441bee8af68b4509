// S3: events on their way to 1, 100 and 1,000 followers of one run, 50 a second; a burst to 1,000; what idle streams
// weigh. Against a bare Node service that commits each event and writes it to everybody. `node bench/s3-streams.mjs [rounds]`
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import os from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from './support/resident.mjs';
import { chain, startStack } from './support/stack.mjs';
import { alternate, closedLoop, print, round } from './support/stats.mjs';

const rounds = Number(process.argv[2] ?? 5);
const [PACED, PER_SECOND, BURST, IDLE] = [150, 50, 300, 1_000];
const stack = await startStack();
const floor = await startFloor();
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
const source = chain(1, 'shape=diamond');

/** Both commit a small event that carries the moment of its origin. */
const runyard = async () => {
  const id = await stack.create(source);
  const url = `${stack.url}/api/v1/runs/${id}/attach`;
  return { url, publish: (title) => stack.request('PATCH', `/api/v1/runs/${id}`, { title }) };
};
const bare = async () => ({
  url: floor.url,
  publish: (title) => post(floor.url, { ...SAMPLE, properties: { title } }),
});
const SAMPLE = {
  id: '0198c0de-7a10-7c11-9e44-0d7b1a2c3d4e',
  ts: '2026-03-01T09:14:07.312Z',
  run_id: '01K2ZP6Q8V9Y3T5N7M1R4S6X8B',
  event: 'run.title.updated',
  actor: {
    kind: 'user',
    identity: { issuer: 'service:dev', subject: 'dev' },
    login: 'dev',
    auth_method: 'dev_token',
  },
};

console.log(`load ${os.loadavg().map((value) => round(value, 1))}`);
await paced(10, await runyard());
const before = await residentMb(stack.pid);
const idle = await follow(IDLE, 1, (await runyard()).url);
await sleep(2_000);
const weight = (await residentMb(stack.pid)) - before;
idle.process.kill();
print('Idle streams', { 'MiB for each 100': { value: round((weight / IDLE) * 100) } });
for (const followers of [1, 100, 1_000]) {
  const results = await alternate(rounds, {
    runyard: async () => paced(followers, await runyard()),
    floor: async () => paced(followers, await bare()),
  });
  print(`S3, ${PER_SECOND} events a second to ${followers} (ms on the way, medians of ${rounds} rounds)`, results, [
    `p99 against bare Node: ${round(results.runyard.p99 / results.floor.p99)}`,
  ]);
}
const bursts = await alternate(rounds, {
  runyard: async () => burst(await runyard()),
  floor: async () => burst(await bare()),
});
print(`S3, ${BURST} events at once to 1,000 (medians of ${rounds} rounds)`, bursts, [
  `deliveries a second against bare Node: ${round(bursts.runyard.perSecond / bursts.floor.perSecond)}`,
]);
console.log(`load ${os.loadavg().map((value) => round(value, 1))}`);

agent.destroy();
floor.process.kill();
await stack.stop();

async function paced(followers, { url, publish }) {
  const stream = await follow(followers, PACED, url);
  const began = performance.now();
  for (let i = 0; i < PACED; i++) {
    await sleep(Math.max(0, began + (i * 1_000) / PER_SECOND - performance.now()));
    await publish(moment());
  }
  return stream.result();
}

async function burst({ url, publish }) {
  const stream = await follow(1_000, BURST, url);
  await closedLoop(BURST, 16, () => publish(moment()));
  return stream.result();
}

function moment() {
  return `at:${process.hrtime.bigint()}`;
}

/** Followers in a process of their own, once all of them are there. */
async function follow(streams, frames, url) {
  const lines = start('sse-followers.mjs', [url, stack.token, streams, frames]);
  if ((await lines.next()) !== 'open') throw new Error('the followers could not open their streams');
  await sleep(300);
  return { process: lines.process, result: async () => JSON.parse(await lines.next()) };
}

async function startFloor() {
  const database = stack.database();
  const lines = start('sse-floor.mjs', [database.options.connectionString]);
  await database.end();
  return { process: lines.process, url: `http://127.0.0.1:${await lines.next()}/` };
}

function start(program, args) {
  const script = new URL(`./support/${program}`, import.meta.url).pathname;
  const child = spawn(process.execPath, [script, ...args.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { process: child, next: async () => (await lines.next()).value };
}

async function post(url, body) {
  const request = http.request(url, { method: 'POST', agent });
  request.end(JSON.stringify(body));
  const [response] = await once(request, 'response');
  await once(response.resume(), 'end');
}
