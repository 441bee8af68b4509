import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRunyardClient, type RunyardClient } from './client.js';
import { RunyardApiError, unwrap } from './errors.js';
import { type EventEnvelope } from './event-envelope.js';
import { followRun, ServerAwayError } from './follow-run.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const RUN_ID = '01K2ZP6Q8V9Y3T5N7M1R4S6X8B';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let folder: string;
let server: Server;
let client: RunyardClient;
let answers: Answer[];
let requests: { url: string; lastEventId: string | undefined; authorization: string | undefined }[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runyard-'));
  const socketPath = path.join(folder, 'api.sock');
  answers = [];
  requests = [];
  server = createServer((request, response) => {
    const { authorization, 'last-event-id': lastEventId } = request.headers;
    requests.push({ url: request.url ?? '', lastEventId: lastEventId as string | undefined, authorization });
    const answer = answers.shift();
    if (answer) answer(request, response);
    else response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  client = createRunyardClient({ server: socketPath, token: 'service_dev_x' });
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

const json =
  (status: number, body: unknown): Answer =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1' }).end(JSON.stringify(body));

/** A stream of these events that then ends, or breaks. */
const stream =
  (seqs: number[], end: 'ends' | 'breaks' = 'ends'): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    for (const seq of seqs) response.write(`id: ${seq}\ndata: ${JSON.stringify({ seq, event: 'run.notice' })}\n\n`);
    if (end === 'ends') response.end();
    else setTimeout(() => response.destroy(), 20);
  };

const run = (kind: string) => json(200, { id: RUN_ID, lifecycle: { status: { kind } } });
const newest = (seq: number) => json(200, { data: [{ seq }], meta: { has_more: false } });

async function follow(options: Parameters<typeof followRun>[2] = {}): Promise<number[]> {
  const events: EventEnvelope[] = [];
  for await (const event of followRun(client, RUN_ID, options)) events.push(event);
  return events.map(({ seq }) => seq);
}

describe('a call', () => {
  it('goes through the Unix socket with the token', async () => {
    answers.push(run('submitted'));
    const path = { id: RUN_ID };
    expect(await unwrap(client.api.GET('/api/v1/runs/{id}', { params: { path } }))).toMatchObject({ id: RUN_ID });
    expect(requests[0]).toMatchObject({ url: `/api/v1/runs/${RUN_ID}`, authorization: 'Bearer service_dev_x' });
  });

  it('that is refused throws what the server said', async () => {
    answers.push(json(409, { errors: [{ status: '409', title: 'Conflict', detail: 'No.', code: 'sample' }] }));
    const refused = unwrap(client.api.POST('/api/v1/runs/{id}/cancel', { params: { path: { id: RUN_ID } } }));
    await expect(refused).rejects.toEqual(new RunyardApiError(409, 'No.', 'sample', 'r-1'));
  });

  it('that is answered by something else throws the status', async () => {
    answers.push((_, response) => response.writeHead(502).end('<html>'));
    await expect(unwrap(client.api.GET('/health'))).rejects.toMatchObject({ status: 502 });
  });
});

describe('an aborted signal, after memory was collected while the call went on', () => {
  const silent: Answer = () => undefined;
  const mute: Answer = (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');

  /** Aborts a call that is under way, once nothing but this test holds on to its signal. */
  async function abortLate<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const called = call(stop.signal);
    called.catch(() => undefined);
    for (let collected = 0; collected < 5; collected += 1) {
      await sleep(20);
      collectGarbage();
    }
    stop.abort();
    return called;
  }

  it('ends the iteration of a run', async () => {
    answers.push(mute);
    expect(await abortLate((signal) => follow({ signal }))).toEqual([]);
  });

  it('ends the iteration while it asks whether the run is over', async () => {
    answers.push(stream([1]), silent);
    expect(await abortLate((signal) => follow({ signal }))).toEqual([1]);
  });

  it('rejects a call that is not answered', async () => {
    answers.push(silent);
    await expect(abortLate((signal) => unwrap(client.api.GET('/health', { signal })))).rejects.toThrow(/abort/i);
  });
});

describe('followRun', () => {
  it('yields the events until the run is over', async () => {
    answers.push(stream([1, 2, 3]), run('succeeded'), newest(3));
    expect(await follow()).toEqual([1, 2, 3]);
  });

  it('comes back after the last event, and yields none twice', async () => {
    answers.push(stream([5, 6], 'breaks'), stream([6, 7]), run('failed'), newest(7));
    expect(await follow({ sinceSeq: 5 })).toEqual([5, 6, 7]);
    const attached = requests.filter(({ url }) => url.includes('/attach'));
    expect(attached.map(({ lastEventId }) => lastEventId)).toEqual(['4', '6']);
  });

  it('hears what models say between the events, where somebody listens', async () => {
    const delta = { event: 'agent.llm.delta', stage_id: 'think@1', properties: { offset: 0, delta: 'Hm' } };
    const speaking: Answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        `data: ${JSON.stringify(delta)}\n\nid: 1\ndata: ${JSON.stringify({ seq: 1, event: 'run.notice' })}\n\n`,
      );
    };
    const heard: unknown[] = [];
    answers.push(speaking, run('succeeded'), newest(1), speaking, run('succeeded'), newest(1));
    expect(await follow({ onText: (text) => heard.push(text) })).toEqual([1]);
    expect(heard).toEqual([delta]);
    expect(await follow()).toEqual([1]);
    const attached = requests.filter(({ url }) => url.includes('/attach'));
    expect(attached.map(({ url }) => url.split('?')[1])).toEqual(['deltas=true', undefined]);
  });

  it('tells when the server is out of reach, and when the run is followed on', async () => {
    const gone: Answer = (_, response) => void response.destroy();
    const states: string[] = [];
    const onConnection = (state: string): unknown => states.push(state);
    answers.push(stream([1], 'breaks'), stream([2]), run('succeeded'), newest(2));
    expect(await follow({ onConnection })).toEqual([1, 2]);
    expect(states).toEqual([]);
    answers.push(stream([1], 'breaks'), gone, gone, stream([2]), run('succeeded'), newest(2));
    expect(await follow({ onConnection })).toEqual([1, 2]);
    expect(states).toEqual(['lost', 'restored']);
  });

  describe('whose server stays away', () => {
    const gone: Answer = (_, response) => void response.destroy();
    const mute: Answer = () => undefined;

    it.each([
      ['closes every connection', gone],
      ['takes connections and says nothing', mute],
      ['can do nothing at the moment', json(503, { errors: [] })],
    ])('is given up after a while, when it %s', async (_, answer) => {
      answers.push(stream([1], 'breaks'), ...Array.from({ length: 50 }, () => answer));
      const given = await follow({ patienceMs: 400 }).catch((error: unknown) => error);
      expect(given).toBeInstanceOf(ServerAwayError);
      expect(given).toMatchObject({ runId: RUN_ID, patienceMs: 400 });
    });

    it('is given up at the beginning, too', async () => {
      answers.push(mute);
      await expect(follow({ patienceMs: 50 })).rejects.toThrow(ServerAwayError);
    });

    it('is waited for again each time it has answered', async () => {
      answers.push(stream([1], 'breaks'), gone, stream([2], 'breaks'), gone, stream([3], 'breaks'), gone, stream([4]));
      answers.push(run('succeeded'), newest(4));
      // Each pause takes 125 to 250 ms.
      expect(await follow({ patienceMs: 600 })).toEqual([1, 2, 3, 4]);
    });
  });

  it('does not take the end of a stream for the end of the run', async () => {
    answers.push(
      stream([1]),
      run('running'),
      stream([2]),
      run('succeeded'),
      newest(3),
      stream([3]),
      run('succeeded'),
      newest(3),
    );
    expect(await follow()).toEqual([1, 2, 3]);
  });

  it('throws when the first attempt fails, and when the server refuses later', async () => {
    answers.push(json(404, { errors: [{ status: '404', title: 'Not Found', detail: 'There is no such run.' }] }));
    await expect(follow()).rejects.toMatchObject({ status: 404, detail: 'There is no such run.' });
    answers.push(stream([1], 'breaks'), json(401, { errors: [] }));
    await expect(follow()).rejects.toMatchObject({ status: 401 });
  });

  it('ends without an error when it is told to', async () => {
    const stop = new AbortController();
    answers.push(
      (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n'),
    );
    setTimeout(() => stop.abort(), 30);
    expect(await follow({ signal: stop.signal })).toEqual([]);
  });
});
