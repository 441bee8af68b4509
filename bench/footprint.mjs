// What it takes to have it: the first start of a fresh home, a second start, memory at rest and with parked runs, size
// of node_modules. `node bench/footprint.mjs`
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from './support/resident.mjs';
import { startStack } from './support/stack.mjs';
import { closedLoop, print, round } from './support/stats.mjs';

const PARKED = 1_000;
const stack = await startStack();
await sleep(3_000);
const idle = await residentMb(stack.pid);
const source =
  'digraph Parked { start [shape=Mdiamond] exit [shape=Msquare] rest [shape=insulator, duration="1h"] start -> rest -> exit }';
await closedLoop(PARKED, 8, async () => stack.start(await stack.create(source)));
await sleep(8_000);
const parked = await residentMb(stack.pid);
print('Footprint', {
  'first start of a fresh home, until it answers (ms)': { value: round(stack.bootMs, 0) },
  'resident memory of the server at rest (MiB)': { value: round(idle, 0) },
  [`resident memory with ${PARKED} parked runs (MiB)`]: { value: round(parked, 0) },
  'of which a parked run (KiB)': { value: round(((parked - idle) * 1024) / PARKED) },
  'node_modules (MiB)': { value: Number(execFileSync('du', ['-sm', 'node_modules']).toString().split('\t')[0]) },
});
await stack.stop();
