import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import pg from 'pg';
import { asStored, command, workflow, type ApiCaller, type EventEnvelope } from '../support/api-caller.js';
import { aNotice } from '../support/run-database.js';
import { testServer, type TestServer } from '../support/server.js';
import { SseClient, type SseOptions } from '../support/sse-client.js';
import { stretched } from '../support/stretched.js';
import { until } from '../support/until.js';

let server: TestServer;
let caller: ApiCaller;
const clients: SseClient[] = [];
beforeAll(async () => {
  server = await testServer();
  caller = server.caller;
});
afterEach(() => clients.splice(0).forEach((client) => client.leave()));
afterAll(() => server.close());

function attach(path: string, options: Partial<SseOptions> = {}): SseClient {
  const client = new SseClient(`${server.url}/api/v1/${path}`, { token: caller.token!, ...options });
  clients.push(client);
  return client;
}

/** What it has by the time its server has answered. */
async function opened(client: SseClient): Promise<SseClient> {
  await until(() => client.headers !== undefined, 'the stream is open');
  return client;
}

/** Appends to the log of a run as requests do. */
async function note(runId: string, ...messages: string[]): Promise<void> {
  const run = { tenantId: DEFAULT_TENANT, runId: runId as RunId };
  await server.platform.ledger.changeBy(run, async () => ({ events: messages.map(aNotice) }));
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('the stream of a run', () => {
  it('says that nobody on the way may buffer, change or keep it', async () => {
    const { id } = await caller.create(workflow('start -> exit'));
    const { headers } = await opened(attach(`runs/${id}/attach`));
    expect(headers).toMatch(/^HTTP\/1.1 200 OK/);
    for (const line of [
      'content-type: text/event-stream; charset=utf-8',
      'cache-control: no-cache, no-transform',
      'x-accel-buffering: no',
    ]) {
      expect(headers?.toLowerCase()).toContain(`\r\n${line}`);
    }
    expect(headers?.toLowerCase()).not.toContain('content-encoding');
  });

  it('gives each event once and in order to clients that leave at any byte and come again', async () => {
    const steps = Array.from({ length: 300 }, (_, index) => `s${index}`);
    const chain = `${steps.map((id) => `${id} [shape=diamond]`).join(' ')} start -> ${steps.join(' -> ')} -> nap -> exit`;
    const { id } = await caller.create(workflow(`${command('nap', 'sleep 1')} ${chain}`));
    const restless = async (): Promise<number[]> => {
      const seen: number[] = [];
      for (let visits = 1; ; visits++) {
        const client = attach(`runs/${id}/attach`, seen.length > 0 ? { lastEventId: seen.at(-1)! } : {});
        const staysMs = visits < 40 ? Math.random() * 60 : 20_000;
        await until(() => client.isOver, 'the client stays a while', staysMs).catch(() => undefined);
        client.leave();
        seen.push(...client.seqs);
        if (client.frames.at(-1)?.data.includes('"event":"run.completed"')) return seen;
      }
    };
    const following = Array.from({ length: 20 }, restless);
    await caller.start(id);
    const log = await caller.ends(id).then(() => caller.events(id));
    for (const seen of await Promise.all(following)) expect(seen).toEqual(log.map(({ seq }) => seq));
  });

  it('costs the database little when five hundred clients come at once, from everywhere in the log', async () => {
    const { id } = await caller.create(workflow('start -> exit'));
    for (let round = 0; round < 10; round++) await note(id, ...Array<string>(100).fill('x'));
    const last = 1_002;
    const before = await transactions();
    const storm = Array.from({ length: 500 }, (_, i) => attach(`runs/${id}/attach`, { lastEventId: i * 2 }));
    await until(() => storm.every(({ lastSeq }) => lastSeq === last), 'everybody has everything');
    expect(storm.map(({ seqs }) => seqs.length)).toEqual(storm.map((_, i) => last - i * 2));
    // Alone each would ask who it is, twice how far the log reaches, and for up to three pages: three thousand times.
    // Chores come on top, the more the longer it takes.
    expect((await transactions()) - before).toBeLessThan(1_500);
  });

  async function transactions(): Promise<number> {
    const client = new pg.Client({ connectionString: server.databaseUrl });
    await client.connect();
    await client.query('SELECT pg_stat_force_next_flush()');
    await pause(1_100);
    const { rows } = await client.query<{ n: string }>(
      'SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    await client.end();
    return Number(rows[0]!.n);
  }

  it('ends properly when its server goes away', async () => {
    const other = await testServer({ worker: false });
    const { id } = await other.caller.create(workflow('start -> exit'));
    const url = `${other.url}/api/v1/runs/${id}/attach`;
    const client = await opened(new SseClient(url, { token: other.caller.token! }));
    await until(() => client.seqs.length === 2, 'the log is there');
    const began = performance.now();
    await other.close();
    expect(client.isFinished).toBe(true);
    expect(performance.now() - began).toBeLessThan(stretched(2_000));
  });
});

describe('a model that speaks', () => {
  const said = 'Grapes, figs and the last of the summer wine. '.repeat(8).trim();
  const speaking = workflow(
    `think [shape=tab, label="Think", prompt="simulate: ${JSON.stringify({ text: said, pace_ms: 40 }).replaceAll('"', '\\"')}"] start -> think -> exit`,
  );

  it('is shown piece by piece to those who ask for it, and never stored', async () => {
    const { id } = await caller.create(speaking, { args: { provider: 'simulated' } });
    const [watching, reading] = [attach(`runs/${id}/attach?deltas=true`), attach(`runs/${id}/attach`)];
    await Promise.all([watching, reading].map(opened));
    await caller.start(id);
    await caller.ends(id);
    await until(() => watching.isOver && reading.isOver, 'both streams end');

    const log = (await caller.events(id)).map(asStored);
    expect(reading.data).toEqual(log);
    const shown = watching.data as (EventEnvelope & { properties: { offset: number; delta: string } })[];
    expect(shown.filter(({ seq }) => seq !== undefined)).toEqual(log);
    const deltas = shown.filter(({ seq }) => seq === undefined);
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas[0]).toMatchObject({
      event: 'agent.llm.delta',
      run_id: id,
      node_id: 'think',
      node_label: 'Think',
      stage_id: 'think@1',
      properties: { visit: 1, kind: 'text', offset: 0 },
    });
    const text = deltas.map(({ properties }) => properties.delta).join('');
    // The last words may come after the answer, when the stream has ended.
    expect(said.startsWith(text)).toBe(true);
    expect(text.length).toBeGreaterThan(said.length / 2);
    expect(watching.seqs).toEqual(log.map(({ seq }) => seq));
  });

  it('is shown only to whoever says true', async () => {
    const { id } = await caller.create(speaking, { args: { provider: 'simulated' } });
    expect((await caller.send('GET', `/api/v1/runs/${id}/attach?deltas=maybe`)).status).toBe(400);
  });
});

describe('the stream of all runs', () => {
  it('tells of every run of the tenant from now on, of each in order', async () => {
    const before = await caller.finish(workflow('start -> exit'));
    const stranger = await server.stranger();
    const all = await opened(attach('attach'));
    const theirs = await opened(attach('attach', { token: stranger.token! }));
    const created = await Promise.all(
      Array.from({ length: 5 }, () => caller.create(workflow(`${command('a', 'true')} start -> a -> exit`))),
    );
    const chosen = created.slice(0, 2).map(({ id }) => id);
    const some = await opened(attach(`attach?run_id=${chosen.join(',')}`));
    await Promise.all(created.map(({ id }) => caller.start(id)));
    await Promise.all(created.map(({ id }) => caller.ends(id)));

    const logs = new Map<string, EventEnvelope[]>();
    for (const { id } of created) logs.set(id, (await caller.events(id)).map(asStored));
    const heard = (client: SseClient, id: string) =>
      (client.data as EventEnvelope[]).filter(({ run_id }) => run_id === id);
    for (const [id, log] of logs) {
      await until(() => heard(all, id).length === log.length, 'all of it is heard');
      expect(heard(all, id)).toEqual(log);
      // It began behind the creation, whose notice may still have been on its way.
      const told = heard(some, id);
      expect(told).toEqual(chosen.includes(id) ? log.slice(-told.length) : []);
      if (chosen.includes(id)) expect(log.length - told.length).toBeLessThanOrEqual(2);
    }
    expect(heard(all, before.id)).toEqual([]);
    expect(all.seqs).toEqual([]);
    expect(theirs.data).toEqual([]);
  });

  it('goes on with a run from where it is when its first notice is heard', async () => {
    const { id } = await caller.create(workflow('start -> exit'));
    const all = await opened(attach('attach'));
    for (let round = 1; round <= 50; round++) await note(id, `a${round}`, `b${round}`);
    await until(() => all.data.length === 100, 'everything is heard');
    expect((all.data as EventEnvelope[]).map(({ seq }) => seq)).toEqual(upTo(102).slice(2));
  });

  it.each(['', 'x', '01K2ZP6Q8V9Y3T5N7M1R4S6X8B,x'])('answers 400 for the runs %j', async (runs) => {
    const answer = await caller.send('GET', `/api/v1/attach?run_id=${runs}`);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('must be a ULID')]);
  });
});
