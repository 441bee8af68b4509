// Lets random authors write workflows, and runs them on a real server with a small heap: no process dies, every run ends or
// is refused by name, nothing answers 500, nobody holds the event loop.
// `npm run build && node test/fuzz/authors.mjs [workflows] [seed] [at once]`; workflow n of seed s is workflow 0 of seed s + n.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStack } from '../../bench/support/stack.mjs';
import { Author, diceOf } from './support/any-author.mjs';

const [, , workflows = '10000', seed = '1', atOnce = '12'] = process.argv;
const MAX_FAULTS = 10;
const ENDS_WITHIN_MS = 180_000;
const HELD_MS = 250;
const LOOK_MS = 25;
const MAX_BODY = 2_000_000;
const MAX_RSS_KB = 1024 * 1024;
/** What a defect says of itself where a sentence is expected. */
const DEFECT = /TypeError|RangeError|Maximum call stack|is not a function|Cannot read|\bundefined\b|A defect|\[object /;
const READS = ['', '/state', '/checkpoint', '/timeline', '/events?limit=1000', '/stages', '/questions'];

const folder = await mkdtemp(path.join(os.tmpdir(), 'runyard-authors-'));
const heldFile = path.join(folder, 'held');
const watch = new URL('support/held-loop.mjs', import.meta.url);
const stack = await startStack({
  NODE_OPTIONS: `--max-old-space-size=640 --import=${watch}`,
  RUNYARD_HELD_FILE: heldFile,
});
await stack.run('digraph W { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }');
await writeFile(heldFile, '0');
const restingKb = await memoryKb('VmRSS');
const faults = [];
const ends = {};
const underWay = new Set();
let next = 0;
let longestHeldMs = 0;
let watching = true;

const health = watched();
await Promise.all(Array.from({ length: Number(atOnce) }, author));
watching = false;
await health;
const peakKb = await memoryKb('VmHWM');
if (peakKb > MAX_RSS_KB) faults.push(`The server took ${peakKb} KB.`);
if (!isAlive()) faults.push('The server ended.');
await stack.stop();
await rm(folder, { recursive: true });
console.log(`${next} workflows from seed ${seed}: ${JSON.stringify(ends)}`);
console.log(
  `${kbAsMb(restingKb)} MB at rest, ${kbAsMb(peakKb)} at most; the event loop was held ${longestHeldMs} ms at most`,
);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

async function author() {
  while (next < Number(workflows) && faults.length < MAX_FAULTS && isAlive()) {
    const own = Number(seed) + next++;
    const manifest = new Author(diceOf(own)).manifest();
    underWay.add(own);
    const end = await runThrough(manifest).catch((thrown) => {
      faults.push(`Seed ${own}: ${thrown.message}\n${manifest.workflows['author.dot'].source.slice(0, 2_000)}`);
      return 'fault';
    });
    underWay.delete(own);
    ends[end] = (ends[end] ?? 0) + 1;
    const done = own - Number(seed) + 1;
    if (done % 1_000 === 0) console.log(`${done} workflows, ${kbAsMb(await memoryKb('VmHWM'))} MB at most`);
  }
}

/** How a workflow ended. Throws for what must not happen. */
async function runThrough(manifest) {
  if (JSON.stringify(manifest).length > MAX_BODY) return 'too large to be sent';
  const created = await asked('POST', '/api/v1/runs', manifest);
  if (created.status >= 400) return refusal(created);
  const { id } = created.body;
  await expecting('POST', `/api/v1/runs/${id}/start`, {});
  const { kind, reason } = await endOf(id);
  const events = (await Promise.all(READS.map((read) => expecting('GET', `/api/v1/runs/${id}${read}`))))[4].data;
  if (events.filter(({ event }) => event === 'run.claimed').length > 1) throw new Error('A worker was lost over it.');
  for (const { event, properties } of events) {
    const message = properties?.failure?.message ?? properties?.failure?.detail?.message;
    if (message !== undefined && DEFECT.test(message)) throw new Error(`${event} says: ${message.slice(0, 300)}`);
  }
  if (kind === 'dead' || reason === 'terminated') throw new Error(`It ended as ${kind}, ${reason}.`);
  return kind;
}

async function endOf(id) {
  const deadline = performance.now() + ENDS_WITHIN_MS;
  for (let restMs = 20; ; restMs = Math.min(restMs * 1.5, 500)) {
    const { lifecycle } = await expecting('GET', `/api/v1/runs/${id}`);
    if (['succeeded', 'failed', 'dead'].includes(lifecycle.status.kind)) return lifecycle.status;
    if (performance.now() > deadline) throw new Error(`It is still ${JSON.stringify(lifecycle.status)}.`);
    await sleep(restMs);
  }
}

function refusal({ status, body, text }) {
  const isNamed = status < 500 && body?.errors?.every(({ detail }) => typeof detail === 'string' && detail !== '');
  if (!isNamed || DEFECT.test(body.errors[0].detail))
    throw new Error(`It was refused with ${status}: ${text.slice(0, 300)}`);
  return `refused with ${status}`;
}

/** On a busy machine the database may stay away for a moment; what was created twice is a run more. */
async function asked(method, path, body) {
  for (;;) {
    const said = await answer(method, path, body);
    if (said.status !== 503) return said;
    await sleep(500);
  }
}

async function expecting(method, path, body) {
  const { status, body: said, text } = await (method === 'GET' ? asked : answer)(method, path, body);
  if (status < 300) return said;
  throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`);
}

async function answer(method, path, body) {
  const response = await fetch(stack.url + path, {
    method,
    headers: { authorization: `Bearer ${stack.token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    body: response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null,
  };
}

/** Somebody asks for health all the while; how long the event loop was held the server itself tells. */
async function watched() {
  while (watching && isAlive()) {
    const { ok = false } = await fetch(`${stack.url}/health`).catch(() => ({}));
    if (!ok && isAlive()) faults.push(`/health did not answer while these ran: ${[...underWay].join(' ')}`);
    const heldMs = await heldAtMostMs();
    if (heldMs > Math.max(HELD_MS, longestHeldMs)) {
      faults.push(`The event loop was held ${heldMs} ms while these ran: ${[...underWay].join(' ')}`);
    }
    longestHeldMs = heldMs;
    await sleep(LOOK_MS);
  }
}

async function heldAtMostMs() {
  return Number(await readFile(heldFile, 'utf8').catch(() => '0'));
}

async function memoryKb(name) {
  const status = await readFile(`/proc/${stack.pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

function isAlive() {
  try {
    return process.kill(stack.pid, 0);
  } catch {
    return false;
  }
}

function kbAsMb(kb) {
  return Math.round(kb / 1024);
}
