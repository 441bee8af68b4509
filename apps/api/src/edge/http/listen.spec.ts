import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { RUN_ID, TOKEN } from '../../../../../test/support/api/samples.js';
import { TestApp } from '../../../../../test/support/api/test-app.js';
import { until } from '../../../../../test/support/until.js';
import { listen } from './listen.js';
import { type Listener } from './listeners.js';

let api: TestApp;
let folder: string;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  api = await TestApp.open();
  folder = await mkdtemp(path.join(tmpdir(), 'runyard-'));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
  await api.close();
  await rm(folder, { recursive: true });
});

async function listening(binding: Parameters<typeof listen>[1]): Promise<Listener> {
  const listener = await listen(api.app, binding);
  open.push(listener);
  return listener;
}

function through(socketPath: string): Agent {
  const agent = new Agent({ connect: { socketPath } });
  open.push(agent);
  return agent;
}

describe('listen', () => {
  it('serves one app on a socket and on a port at the same time', async () => {
    const socketPath = path.join(folder, 'api.sock');
    await listening({ socketPath });
    const { address } = await listening({ host: '127.0.0.1', port: 0 });
    for (const answer of [
      await request(`${address}/health`),
      await request('http://localhost/health', { dispatcher: through(socketPath) }),
    ]) {
      expect([answer.statusCode, await answer.body.json()]).toEqual([200, { status: 'ok' }]);
    }
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
  });

  it('keeps idle connections longer than a load balancer does', async () => {
    const { address } = await listening({ host: '127.0.0.1', port: 0 });
    const { headers, body } = await request(`${address}/health`);
    await body.dump();
    expect(headers['keep-alive']).toBe('timeout=75');
  });

  it('replaces a socket that nobody answers, and never one that somebody does', async () => {
    const socketPath = path.join(folder, 'api.sock');
    const first = await listening({ socketPath });
    await expect(listen(api.app, { socketPath })).rejects.toThrow('EADDRINUSE');
    await first.close();
    await listening({ socketPath });
  });

  it('never removes a file that is no socket', async () => {
    const file = path.join(folder, 'notes.txt');
    await writeFile(file, 'keep me');
    await expect(listen(api.app, { socketPath: file })).rejects.toThrow();
    expect((await stat(file)).size).toBe(7);
  });

  it('answers what is no HTTP with the envelope', async () => {
    const { address } = await listening({ host: '127.0.0.1', port: 0 });
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1', () => socket.write('hello\r\n\r\n'));
      let text = '';
      socket.on('data', (bytes) => (text += String(bytes))).on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nx-request-id: [0-9a-f-]{36}\r\n/);
  });

  it('streams a run with the headers that keep it flowing; closing the app ends it at once', async () => {
    const { address } = await listening({ host: '127.0.0.1', port: 0 });
    api.log.add('{"seq":1}');
    const answer = await request(`${address}/api/v1/runs/${RUN_ID}/attach`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    let text = '';
    answer.body.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const ended = once(answer.body, 'end');
    await until(() => text !== '', 'the first event has come');
    await api.close();
    await ended;
    await expect(request(`${address}/health`)).rejects.toThrow('ECONNREFUSED');
    expect(text).toBe('id: 1\ndata: {"seq":1}\n\n');
  });
});
