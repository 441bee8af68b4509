import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { command, workflow, type ApiCaller, type EventEnvelope, type Run } from '../support/api-caller.js';
import { ProcessMemory } from '../support/process-memory.js';
import { startWorkerProcess, type TestProcess } from '../support/processes.js';
import { testServer, type TestServer } from '../support/server.js';

jest.setTimeout(180_000);

const MIB = 1024 * 1024;
const BRANCHES = 24;
const LARGE = 29_000_000;
/** What large values may take, in MiB; and what a worker takes beside them for work and what is not collected yet. */
const VALUES = 96;
const BESIDE = 160;

let server: TestServer;
let worker: TestProcess;
let memory: ProcessMemory;
let caller: ApiCaller;
beforeAll(async () => {
  server = await testServer({ worker: false });
  caller = server.caller;
  worker = await startWorkerProcess({
    databaseUrl: server.databaseUrl,
    stateDirectory: server.host.stateDirectory,
    limit: server.limit,
    limits: { stages: 64, stagesPerRun: 32, valueMemoryBytes: VALUES * MIB },
  });
  await caller.finish(workflow(`${command('a', 'seq 9000')} start -> a -> exit`));
  memory = new ProcessMemory(worker.pid);
});
afterAll(async () => {
  await worker.kill();
  await server.close();
});

let restingMib: number;
beforeEach(() => {
  memory.forget();
  restingMib = memory.now;
});

/** A fork into as many branches as want to work at once, and their join. */
function wide(before: string, branch: (id: string) => string, after = ''): string {
  const ids = Array.from({ length: BRANCHES }, (_, n) => `b${n}`);
  const edges = ids.map((id) => `${branch(id)} fork -> ${id} -> join`).join('\n');
  return workflow(`${before} fork [shape=component, max_parallel=1000] join [shape=tripleoctagon] ${after}
    ${edges}`);
}

async function eventsOf(id: string, event: string): Promise<EventEnvelope[]> {
  return (await caller.events(id)).filter((each) => each.event === event);
}

/** The run went through, or failed by name, in one worker, and that took no more memory than it may. */
async function isBorne(run: Run): Promise<void> {
  expect(worker.exit).toBeUndefined();
  expect(await eventsOf(run.id, 'run.claimed')).toHaveLength(1);
  expect(memory.most - restingMib).toBeLessThan(VALUES + BESIDE);
}

const printing = (bytes: number): string => `head -c ${bytes} /dev/zero | tr "\\\\0" x`;

describe('V1: large values of many stages at once', () => {
  it('read as the standard input of each', async () => {
    const reader = (id: string): string => command(id, 'wc -c', ', stdin_source="command.output"');
    const run = await caller.finish(
      wide(command('make', printing(LARGE)), reader, 'start -> make -> fork; join -> exit'),
      {},
      120_000,
    );
    expect(run.lifecycle.status.kind).toBe('succeeded');
    const ends = await eventsOf(run.id, 'command.completed');
    const read = ends.map(({ properties }) => (properties as { output: string }).output.trim());
    expect(read.filter((count) => count === `${LARGE}`)).toHaveLength(BRANCHES);
    await isBorne(run);
  });

  it('printed by each', async () => {
    const printer = (id: string): string => command(id, printing(LARGE));
    const run = await caller.finish(wide('', printer, 'start -> fork; join -> exit'), {}, 120_000);
    expect(run.lifecycle.status.kind).toBe('succeeded');
    await isBorne(run);
  });

  it('which are very many small ones to whoever reads them as JSON', async () => {
    const bomb = `python3 -c 'print("{\\"context_updates\\": {\\"a\\": [" + "[]," * 2600000 + "0]}}")'`;
    const printer = (id: string): string => command(id, bomb, ', output_schema=routing');
    const run = await caller.finish(wide('', printer, 'start -> fork; join -> exit'), {}, 120_000);
    await isBorne(run);
  });

  it('put together from what branches wrote', async () => {
    const reader = (id: string): string => command(id, 'wc -c', ', stdin_source="parallel.results"');
    const first = Array.from(
      { length: 5 },
      (_, n) => `${command(`f${n}`, printing(1_500_000))} before -> f${n} -> met`,
    );
    const run = await caller.finish(
      wide(
        `before [shape=component, max_parallel=9] met [shape=tripleoctagon] ${first.join('\n')}`,
        reader,
        'start -> before; met -> fork; join -> exit',
      ),
      {},
      120_000,
    );
    expect(run.lifecycle.status.kind).toBe('succeeded');
    await isBorne(run);
  });
});

it('twin: 29 MB of every character come through the standard input byte for byte', async () => {
  const make = `python3 -c 'print("".join(chr(32 + n % 40000) for n in range(9900000)))' | tee made`;
  const read = command('read', 'cat > read', ', stdin_source="command.output"');
  await caller.finish(workflow(`${command('make', make)} ${read} start -> make -> read -> exit`), {}, 60_000);
  const [made, got] = await Promise.all(['made', 'read'].map(digestOf));
  expect(made!.bytes).toBeGreaterThan(28_000_000);
  expect(got).toEqual(made);
});

async function digestOf(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(join(caller.directory, file)) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
