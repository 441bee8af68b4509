import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { publicLookup } from './public-lookup.js';
import { UndiciHttpCaller } from './undici-http-caller.js';

let server: Server | undefined;

afterEach(() => new Promise<void>((done) => (server ? server.close(() => done()) : done())));

async function serving(answer: RequestListener): Promise<string> {
  server = createServer(answer);
  await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

function post(url: string, more: { timeoutMs?: number; signal?: AbortSignal } = {}) {
  const call = { url, headers: { 'x-name': 'value' }, body: '{"a":1}', verifiesTls: true };
  return new UndiciHttpCaller(async () => true).post({
    ...call,
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    ...more,
  });
}

describe('a call', () => {
  it('posts its body and headers and returns what is answered', async () => {
    const url = await serving((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.writeHead(202).end([request.method, request.headers['x-name'], body].join(' ')));
    });
    expect(await post(url)).toEqual({ status: 202, body: 'POST value {"a":1}' });
  });

  it('follows no redirect', async () => {
    const url = await serving((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect(await post(url)).toEqual({ status: 302, body: '' });
  });

  it('reads no more than the beginning of an answer', async () => {
    const url = await serving((_, response) => response.end('x'.repeat(1_000_000)));
    expect((await post(url)).body).toHaveLength(64 * 1024);
  });

  it('ends when its time is over, also in the middle of an answer', async () => {
    const url = await serving((_, response) => void response.writeHead(200).write('{'));
    await expect(post(url, { timeoutMs: 100 })).rejects.toThrow(/timeout/);
  });

  it('ends when nobody waits for it any more', async () => {
    const url = await serving(() => undefined);
    await expect(post(url, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
  });

  it('rejects where nobody listens', async () => {
    await expect(post('http://127.0.0.1:1/')).rejects.toThrow(/ECONNREFUSED|bad port/);
  });
});

describe('a call that may reach only what is public', () => {
  const postFrom = (caller: UndiciHttpCaller, url: string) => {
    const call = { url, headers: {}, body: '{}', verifiesTls: false, timeoutMs: 300 };
    return caller.post({ ...call, signal: new AbortController().signal });
  };

  it.each(['https://127.0.0.1', 'https://localhost', 'https://[::1]', 'http://localhost', 'http://8.8.8.8'])(
    'does not connect to %s',
    async (place) => {
      let connections = 0;
      const { port } = new URL(await serving(() => undefined));
      server!.on('connection', () => (connections += 1));
      const caller = new UndiciHttpCaller(async () => false);
      await expect(postFrom(caller, `${place}:${port}/`)).rejects.toMatchObject({ name: 'PrivateAddressError' });
      expect(connections).toBe(0);
    },
  );

  it('looks a name up once, so that it cannot lead elsewhere when it is connected to', async () => {
    let connections = 0;
    let lookUps = 0;
    const { port } = new URL(await serving(() => undefined));
    server!.on('connection', () => (connections += 1));
    const rebound = publicLookup((_hostname, _options, done) =>
      done(null, [{ address: lookUps++ === 0 ? '9.9.9.9' : '127.0.0.1', family: 4 }]),
    );
    const caller = new UndiciHttpCaller(async () => false, rebound);
    await expect(postFrom(caller, `https://rebound.example:${port}/`)).rejects.toThrow();
    expect({ lookUps, connections }).toEqual({ lookUps: 1, connections: 0 });
  });
});
