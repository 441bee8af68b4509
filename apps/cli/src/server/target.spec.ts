import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Home, homeOf, saveToken, writeServerRecord } from '#libs/config';
import { serverAddress, targetOf } from './target.js';

let home: Home;

beforeEach(async () => {
  home = homeOf({ RUNYARD_HOME: await mkdtemp(path.join(tmpdir(), 'runyard-')) });
});
afterEach(() => rm(home.directory, { recursive: true }));

it('is the socket of the home, when nothing else is known', async () => {
  expect(await targetOf(home, {}, {})).toEqual({ server: home.socket });
});

it('is the server that serves the home now, with the token saved for it', async () => {
  const record = { pid: process.pid, address: '/run/it.sock', url: 'http://x', database_url: null, started_at: '' };
  await writeServerRecord(home, record);
  await saveToken(home, '/run/it.sock', 'saved');
  expect(await targetOf(home, {}, {})).toEqual({ server: '/run/it.sock', token: 'saved' });
});

it('prefers a flag to a variable, and gives no server the token of another', async () => {
  await saveToken(home, home.socket, 'saved');
  const env = { RUNYARD_SERVER: 'http://variable' };
  expect(await targetOf(home, {}, env)).toEqual({ server: 'http://variable' });
  expect(await targetOf(home, { server: 'http://flag/' }, env)).toEqual({ server: 'http://flag' });
  expect(await targetOf(home, { token: 'piped' }, { RUNYARD_TOKEN: 'variable' })).toMatchObject({ token: 'piped' });
});

it('is a URL or an absolute path', () => {
  for (const text of ['localhost:3000', 'run.sock', 'ftp://x', '']) expect(() => serverAddress(text)).toThrow();
});
