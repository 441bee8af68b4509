import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { readFile } from 'node:fs/promises';
import { workflow, type EventEnvelope } from '../support/api-caller.js';
import { freePort } from '../support/postgres-server.js';
import { startApiProcess, startWorkerProcess, type TestProcess } from '../support/processes.js';
import { aNotice } from '../support/run-database.js';
import { testServer, type TestServer } from '../support/server.js';
import { SseClient } from '../support/sse-client.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;

let server: TestServer;
let port: number;
let api: TestProcess;
const processes: TestProcess[] = [];
const clients: SseClient[] = [];

beforeAll(async () => {
  server = await testServer({ worker: false });
  port = await freePort();
  api = await startApi();
});
afterEach(() => clients.splice(0).forEach((client) => client.leave()));
afterAll(async () => {
  await Promise.all(processes.map((one) => one.kill()));
  await server.close();
});

async function startApi(): Promise<TestProcess> {
  const { databaseUrl, limit, host } = server;
  const started = await startApiProcess({ databaseUrl, limit, port, stateDirectory: host.stateDirectory });
  processes.push(started);
  return started;
}

function attach(runId: string, lastEventId = 0, query = ''): SseClient {
  const url = `http://127.0.0.1:${port}/api/v1/runs/${runId}/attach${query}`;
  const client = new SseClient(url, { token: server.caller.token!, lastEventId });
  clients.push(client);
  return client;
}

/** Appends from this process, where nobody follows. */
async function note(runId: string, ...messages: string[]): Promise<void> {
  const run = { tenantId: DEFAULT_TENANT, runId: runId as RunId };
  await server.platform.ledger.changeBy(run, async () => ({ events: messages.map(aNotice) }));
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024;
}

describe('an API process that is killed', () => {
  it('takes no event from twenty clients that come back to the next one', async () => {
    const { id } = await server.caller.create(workflow('start -> exit'));
    let last = 0;
    let isGoingOn = true;
    const follow = async (): Promise<number[]> => {
      const seen: number[] = [];
      while (last === 0 || seen.length < last) {
        const client = attach(id, seen.length);
        await until(
          () => client.isOver || (last > 0 && seen.length + client.frames.length === last),
          'the client is cut off',
          60_000,
        );
        client.leave();
        seen.push(...client.seqs);
        await pause(50);
      }
      return seen;
    };
    const following = Array.from({ length: 20 }, follow);
    const writing = (async () => {
      for (; isGoingOn; await pause(10)) await note(id, 'one', 'two');
    })();
    for (let deaths = 0; deaths < 3; deaths++) {
      await until(() => clients.slice(-20).every(({ frames }) => frames.length > 20), 'everybody follows');
      await api.kill();
      api = await startApi();
    }
    isGoingOn = false;
    await writing;
    last = (await server.caller.events(id)).length;
    for (const seen of await Promise.all(following)) expect(seen).toEqual(upTo(last));
  });
});

describe('clients that read nothing', () => {
  it('are cut off, cost little memory, and find everything when they come again', async () => {
    const { id } = await server.caller.create(workflow('start -> exit'));
    const stopped = Array.from({ length: 20 }, () => attach(id));
    await until(() => stopped.every(({ seqs }) => seqs.length === 2), 'everybody follows');
    stopped.forEach((client) => client.stop());
    const before = await residentBytes(api.pid);
    let most = before;
    for (let round = 0; round < 25; round++) {
      await note(id, ...Array<string>(10).fill('x'.repeat(100_000)));
      most = Math.max(most, await residentBytes(api.pid));
    }
    await pause(6_000);
    most = Math.max(most, await residentBytes(api.pid));
    // The log has 25 MB, of which every client was to get its own copy.
    expect((most - before) / MIB).toBeLessThan(150);

    stopped.forEach((client) => client.read());
    await until(() => stopped.every(({ isClosed }) => isClosed), 'everybody was cut off');
    const [one] = stopped;
    expect(one!.lastSeq).toBeLessThan(252);
    const again = attach(id, one!.lastSeq);
    await until(() => again.lastSeq === 252, 'the rest is there');
    expect([...one!.seqs, ...again.seqs]).toEqual(upTo(252));
  });
});

describe('a worker in another process', () => {
  it('shows what its models say to the clients of every API', async () => {
    const { databaseUrl, limit, host } = server;
    processes.push(await startWorkerProcess({ databaseUrl, limit, stateDirectory: host.stateDirectory }));
    const said = 'Grapes, figs and the last of the summer wine. '.repeat(20).trim();
    const wish = JSON.stringify({ text: said, pace_ms: 50 }).replaceAll('"', '\\"');
    const source = workflow(`think [shape=tab, prompt="simulate: ${wish}"] start -> think -> exit`);
    const { id } = await server.caller.create(source, { args: { provider: 'simulated' } });
    const watching = attach(id, 0, '?deltas=true');
    await until(() => watching.lastSeq === 2, 'the stream is open');
    await server.caller.start(id);
    await until(() => watching.isOver, 'the stream ends');

    const shown = watching.data as (EventEnvelope & { properties: { delta: string; offset: number } })[];
    const pieces = shown.filter(({ event }) => event === 'agent.llm.delta');
    const text = pieces.map(({ properties }) => properties.delta).join('');
    expect(pieces.length).toBeGreaterThan(5);
    expect(text.length).toBeGreaterThan(said.length / 2);
    expect(said.startsWith(text)).toBe(true);
    expect(watching.seqs).toEqual(upTo((await server.caller.events(id)).length));
  });
});
