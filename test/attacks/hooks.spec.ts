import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { command, workflow } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';

const SOURCE = workflow(`${command('work', 'true')} start -> work -> exit`);

/** A server that only the insiders of this machine reach, as a database's or a scraper's port is. */
let inside: Server;
let port: number;
let answer: RequestListener;
let connections = 0;
beforeAll(async () => {
  inside = createServer((request, response) => answer(request, response));
  inside.on('connection', () => (connections += 1));
  await new Promise<void>((done) => inside.listen(0, '127.0.0.1', done));
  ({ port } = inside.address() as AddressInfo);
});
afterAll(async () => {
  inside.closeAllConnections();
  await new Promise((done) => inside.close(done));
});
beforeEach(() => {
  connections = 0;
  answer = (_, response) => response.writeHead(405).end();
});

function withHook(hook: Record<string, string>): Record<string, unknown> {
  const lines = Object.entries({ id: 'h', event: 'run_start', ...hook }).map(([key, value]) => `${key} = "${value}"`);
  return { configs: [{ type: 'project', path: 'project.toml', source: ['[[run.hooks]]', ...lines].join('\n') }] };
}

/** What the log says of a hook that did not work; undefined when it did. */
async function faultOf(server: TestServer, hook: Record<string, string>): Promise<string | undefined> {
  const { id, lifecycle } = await server.caller.finish(SOURCE, withHook(hook));
  expect(lifecycle.status.kind).toBe('succeeded');
  const failed = (await server.caller.events(id)).find(({ event }) => event === 'hook.failed');
  return failed?.properties?.error as string | undefined;
}

describe('V13: hooks of a server that lets them reach what is public', () => {
  let server: TestServer;
  beforeAll(async () => void (server = await testServer({ hooksReach: 'public' })));
  afterAll(() => server.close());

  it('say the same of every place inside, whether something listens there or not, and connect to none', async () => {
    const places = [
      ...['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433'].map((host) => `${host}:${port}`),
      ...['127.0.0.1:1', '169.254.169.254', '10.0.0.1', 'nowhere.invalid'],
    ];
    const faults = await Promise.all(
      places.map((place) => faultOf(server, { url: `https://${place}/metrics`, tls: 'no_verify', timeout: '2s' })),
    );
    expect(new Set(faults)).toEqual(new Set([expect.stringMatching(/^no answer from the server of the hook: /)]));
    expect(connections).toBe(0);
  });

  it('are encrypted, or refused when the run is made', async () => {
    const manifest = server.caller.manifest(SOURCE, withHook({ url: `http://127.0.0.1:${port}/`, tls: 'off' }));
    const { status, text } = await server.caller.send('POST', '/api/v1/runs', { body: manifest });
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining('run.hooks with tls') });
  });

  it('that are commands run as everywhere', async () => {
    expect(await faultOf(server, { script: 'true' })).toBeUndefined();
  });
});

describe('V13: hooks of a server that lets them reach anything', () => {
  let server: TestServer;
  beforeAll(async () => void (server = await testServer({ hooksReach: 'anywhere' })));
  afterAll(() => server.close());
  const loopback = { tls: 'off', timeout: '300ms' };

  it('reach this machine', async () => {
    answer = (_, response) => response.writeHead(204).end();
    expect(await faultOf(server, { ...loopback, url: `http://127.0.0.1:${port}/` })).toBeUndefined();
    expect(connections).toBe(1);
  });

  it('say the class of an answer, and else no more than that there was none', async () => {
    const url = `http://127.0.0.1:${port}/`;
    expect(await faultOf(server, { ...loopback, url })).toBe('the server of the hook answered 4xx');
    const refused = await faultOf(server, { ...loopback, url: 'http://127.0.0.1:1/' });
    answer = () => undefined;
    const silent = await faultOf(server, { ...loopback, url });
    answer = (request) => request.socket.end('no HTTP\r\n\r\n');
    const wrong = await faultOf(server, { ...loopback, url });
    expect(new Set([refused, silent, wrong])).toEqual(new Set([expect.stringMatching(/^no answer/)]));
  });

  it('follow no redirect', async () => {
    const asked: (string | undefined)[] = [];
    answer = ({ url }, response) => {
      asked.push(url);
      response.writeHead(307, { location: `http://127.0.0.1:${port}/elsewhere` }).end();
    };
    expect(await faultOf(server, { ...loopback, url: `http://127.0.0.1:${port}/` })).toMatch(/answered 3xx/);
    expect(asked).toEqual(['/']);
  });

  it('reach nothing inside once there is another tenant', async () => {
    await server.stranger();
    answer = (_, response) => response.writeHead(204).end();
    expect(await faultOf(server, { ...loopback, url: `http://127.0.0.1:${port}/` })).toMatch(/^no answer/);
    expect(connections).toBe(0);
  });
});
