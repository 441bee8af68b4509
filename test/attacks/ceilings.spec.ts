import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { issueDevToken } from '#libs/server-runtime';
import { type ApiCaller, workflow } from '../support/api-caller.js';
import { connection, type Connection } from '../support/raw-http.js';
import { testServer, type TestServer } from '../support/server.js';
import { SseClient } from '../support/sse-client.js';
import { until } from '../support/until.js';

const RUNS = '/api/v1/runs';
const HEAD_MS = 400;
const REQUEST_MS = 1_200;
/** Requests that are late are looked for this often. */
const CHECKED_MS = 1_000;
const MAX_CONNECTIONS = 100;

let server: TestServer;
let caller: ApiCaller;
const open: { leave(): void }[] = [];
beforeAll(async () => {
  server = await testServer({
    worker: false,
    limits: { headMs: HEAD_MS, requestMs: REQUEST_MS, maxConnections: MAX_CONNECTIONS },
  });
  caller = server.caller;
});
afterEach(() => open.splice(0).forEach((one) => one.leave()));
afterAll(() => server.close());

function connected(options?: { hangsUp: boolean }): Connection {
  const made = connection(caller.url, options);
  open.push(made);
  return made;
}

function attached(path: string, token = caller.token!): SseClient {
  const client = new SseClient(`${caller.url}/api/v1/${path}`, { token });
  open.push(client);
  return client;
}

describe('V12: a request that takes its time to arrive', () => {
  const head = (length: number) =>
    `POST ${RUNS} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${caller.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

  it('as half a head, byte by byte, or not at all, is ended', async () => {
    const half = connected();
    half.write('GET /health HTTP/1.1\r\nHost: here\r\n');
    const bytewise = connected();
    const drip = setInterval(() => bytewise.write('x'), 50);
    const silent = connected();
    const all = [half, bytewise, silent];
    await until(() => all.every(({ closedAfterMs }) => closedAfterMs !== undefined), 'all are closed', 10_000);
    clearInterval(drip);
    for (const { closedAfterMs } of all) expect(closedAfterMs).toBeLessThan(HEAD_MS + 2 * CHECKED_MS);
    expect(half.text).toMatch(/^HTTP\/1\.1 408 [^]*"errors":/);
  });

  it('with a body of a byte at a time is ended, with a token or without', async () => {
    const slow = connected();
    slow.write(head(1_000));
    const drip = setInterval(() => slow.write(' '), 50);
    await until(() => slow.closedAfterMs !== undefined, 'it is closed', 10_000);
    clearInterval(drip);
    expect(slow.closedAfterMs).toBeLessThan(REQUEST_MS + 2 * CHECKED_MS);
    expect(slow.text).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('in time is taken, in however many pieces', async () => {
    const body = JSON.stringify(caller.manifest(workflow('start -> exit')));
    const brief = connected();
    brief.write(head(body.length).slice(0, 20));
    await sleep(100);
    brief.write(head(body.length).slice(20));
    for (const piece of [body.slice(0, 10), body.slice(10)]) {
      await sleep(150);
      brief.write(piece);
    }
    await until(() => brief.text.includes('"id"'), 'it is answered');
    expect(brief.text).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('does not end what is answered slowly: a stream goes on, and a connection is used again', async () => {
    const { id } = await caller.create(workflow('start -> exit'));
    const stream = attached(`runs/${id}/attach`);
    const kept = connected();
    const ask = (): void => kept.write('GET /health HTTP/1.1\r\nHost: here\r\n\r\n');
    ask();
    await until(() => stream.frames.length === 2, 'the stream has what there is');
    await sleep(REQUEST_MS + 2 * CHECKED_MS);
    ask();
    await until(() => kept.text.split('HTTP/1.1 200').length === 3, 'the second request is answered');
    await caller.send('PATCH', `${RUNS}/${id}`, { body: { title: 'Later' } });
    await until(() => stream.frames.length === 3, 'the stream has the next event');
    expect([stream.isOver, kept.closedAfterMs]).toEqual([false, undefined]);
  });
});

describe('V12: more connections than a process takes', () => {
  it('are closed at once, and there is room again when others leave', async () => {
    const many = Array.from({ length: MAX_CONNECTIONS + 50 }, () => connected());
    for (const one of many) one.write('GET /health HTTP/1.1\r\nHost: here\r\n\r\n');
    const answered = (): Connection[] => many.filter(({ text: said }) => said.startsWith('HTTP/1.1 200'));
    const closed = (): Connection[] => many.filter(({ closedAfterMs }) => closedAfterMs !== undefined);
    await until(() => answered().length + closed().length === many.length, 'each is answered or closed');
    expect(answered().length).toBeLessThanOrEqual(MAX_CONNECTIONS);
    expect(closed().length).toBeGreaterThanOrEqual(50);
    for (const one of many) one.leave();
    await until(async () => (await caller.send('GET', RUNS).catch(() => undefined))?.status === 200, 'there is room');
  });
});

describe('V12: clients that do not hang up when they are told to', () => {
  it('keep no place from others', async () => {
    const stubborn = Array.from({ length: MAX_CONNECTIONS }, () => connected({ hangsUp: false }));
    for (const one of stubborn) one.write('GET /health HTTP/1.1\r\nHost: here\r\n');
    const isTold = ({ text: said, closedAfterMs }: Connection): boolean => said !== '' || closedAfterMs !== undefined;
    await until(() => stubborn.every(isTold), 'all are told');
    await until(
      async () => (await caller.send('GET', RUNS).catch(() => undefined))?.status === 200,
      'others have their place',
      3_000,
    );
  });
});

describe('V12: more streams than a token may have', () => {
  it('are refused with a time to come back, for that token alone, until one ends', async () => {
    const { id } = await caller.create(workflow('start -> exit'));
    const [token, another] = [await issueDevToken(server.platform.tokens), await issueDevToken(server.platform.tokens)];
    const paths = Array.from({ length: 20 }, (_, n) => (n % 2 ? 'attach' : `runs/${id}/attach`));
    const streams = paths.map((path) => attached(path, token));
    await until(() => streams.every(({ headers }) => headers?.startsWith('HTTP/1.1 200')), 'twenty are open');
    for (const path of ['/api/v1/attach', `${RUNS}/${id}/attach`]) {
      for (const scheme of ['Bearer', 'bearer  ']) {
        const headers = { authorization: `${scheme} ${token}` };
        const answer = await caller.send<{ errors: { code: string }[] }>('GET', path, { headers });
        expect([answer.status, answer.body.errors[0]!.code]).toEqual([429, 'too_many_streams']);
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    }
    const others = attached('attach', another);
    await until(() => others.headers?.startsWith('HTTP/1.1 200') === true, 'another token has its own');
    streams[0]!.leave();
    await until(async () => {
      const again = attached('attach', token);
      await until(() => again.headers !== undefined, 'it is answered');
      return again.headers!.startsWith('HTTP/1.1 200');
    }, 'one more is open');
  });
});

describe('V12: wrong tokens by the hundred', () => {
  const wrong = (): string => `service_dev_${randomBytes(32).toString('hex')}`;

  /** A request from one of the addresses of this machine. */
  function listsFrom(
    localAddress: string,
    token: string,
  ): Promise<{ status: number; retryAfter?: string; body: string }> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const sent = request(`${caller.url}${RUNS}`, { localAddress, headers, agent: false }, (response) => {
        const { statusCode, headers: said } = response;
        const facts = { status: statusCode!, ...(said['retry-after'] && { retryAfter: said['retry-after'] }) };
        text(response).then((body) => resolve({ ...facts, body }), reject);
      });
      sent.on('error', reject).end();
    });
  }

  it('cost twenty looks, and are told to wait; right ones from the same address are let in all the time', async () => {
    const looks = jest.spyOn(server.platform.tokens, 'findAll');
    const known = await issueDevToken(server.platform.tokens);
    const { id } = await caller.create(workflow('start -> exit'));
    expect((await listsFrom('127.0.0.2', known)).status).toBe(200);
    looks.mockClear();

    const answers = [];
    for (let n = 0; n < 8; n++) {
      answers.push(...(await Promise.all(Array.from({ length: 50 }, () => listsFrom('127.0.0.2', wrong())))));
      expect((await listsFrom('127.0.0.2', known)).status).toBe(200);
    }
    const statuses = answers.map(({ status }) => status);
    expect([statuses.filter((status) => status === 401).length, new Set(statuses)]).toEqual([20, new Set([401, 429])]);
    expect(answers.find(({ status }) => status === 429)).toMatchObject({
      retryAfter: expect.any(String),
      body: expect.stringContaining('too_many_wrong_tokens'),
    });
    // The first twenty, and the others together: once in a quarter of a second.
    expect(looks.mock.calls.length).toBeLessThan(20 + 20);

    const fresh = await issueDevToken(server.platform.tokens);
    const ofRun = (await server.speakerOf(id)).token!;
    for (const token of [fresh, fresh, ofRun]) expect((await listsFrom('127.0.0.2', token)).status).toBe(200);
    expect((await listsFrom('127.0.0.3', wrong())).status).toBe(401);
    looks.mockRestore();
  });

  it('or not even of the form of one, are counted all the same', async () => {
    const answers = [];
    for (let n = 0; n < 25; n++) answers.push((await listsFrom('127.0.0.4', `guess-${n}`)).status);
    expect(answers).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)]);
  });
});
