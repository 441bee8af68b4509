import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ConfigError } from './errors.js';
import { readSecretFiles } from './secret-files.js';

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'secrets-'));
  file = path.join(folder, 'token');
  writeFileSync(file, 'service_dev_1\n', { mode: 0o400 });
});
afterAll(() => rmSync(folder, { recursive: true }));

it('reads what a variable names, without the end of its line', () => {
  expect(readSecretFiles({ RUNYARD_DEV_TOKEN_FILE: file, OTHER_FILE: file })).toEqual({
    RUNYARD_DEV_TOKEN: 'service_dev_1',
  });
});

it('takes a file that a group of its own may read, as those of containers are', () => {
  chmodSync(file, 0o440);
  expect(readSecretFiles({ DATABASE_URL_FILE: file })).toEqual({ DATABASE_URL: 'service_dev_1' });
});

it.each([
  ['others may read', 0o444],
  ['its group may write', 0o660],
])('refuses by name a file that %s', (_what, mode) => {
  chmodSync(file, mode);
  const read = () => readSecretFiles({ REDIS_URL_FILE: file });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(`REDIS_URL_FILE: others may read ${file}, or change it. Protect it with: chmod 400 ${file}`);
});

it('refuses a file that is not there, and a variable that is set twice', () => {
  expect(() => readSecretFiles({ DATABASE_URL_FILE: '/nowhere' })).toThrow(/^DATABASE_URL_FILE: \/nowhere cannot be/);
  expect(() => readSecretFiles({ DATABASE_URL_FILE: file, DATABASE_URL: 'x' })).toThrow(/Both DATABASE_URL and/);
});
