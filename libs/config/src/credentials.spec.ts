import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readToken, saveToken } from './credentials.js';
import { homeOf, type Home } from './home.js';

let folder: string;
let home: Home;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runyard-'));
  home = homeOf({ RUNYARD_HOME: folder });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('keeps a token for each server', async () => {
  expect(await readToken(home, 'http://a')).toBeUndefined();
  await saveToken(home, 'http://a', 'one');
  await saveToken(home, 'http://b', 'two');
  expect([await readToken(home, 'http://a'), await readToken(home, 'http://b')]).toEqual(['one', 'two']);
});

it('takes what cannot be read for no empty file', async () => {
  await mkdir(home.credentials, { recursive: true });
  await expect(readToken(home, 'http://a')).rejects.toMatchObject({ code: 'EISDIR' });
  await expect(saveToken(home, 'http://a', 'one')).rejects.toMatchObject({ code: 'EISDIR' });
});
