import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { belowReaper } from './reaper.js';

const onLinux = process.platform === 'linux' ? it : it.skip;
const runner = { command: 'node', args: ['main.js'] };

let folder: string;
let perl: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reaper-'));
  perl = join(folder, 'perl');
  writeFileSync(perl, '');
});
afterAll(() => rmSync(folder, { recursive: true }));

it('leaves a runner without a reaper where there is no perl to be started', () => {
  chmodSync(perl, 0o644);
  expect(belowReaper(runner)).toBeUndefined();
  expect(belowReaper({ ...runner, searchPath: `/nowhere:${folder}` })).toBeUndefined();
});

onLinux('starts the runner below perl otherwise', () => {
  chmodSync(perl, 0o755);
  const line = belowReaper({ ...runner, searchPath: `/nowhere:${folder}` })!;
  expect(line.command).toBe(perl);
  expect(line.args.slice(-2)).toEqual(['node', 'main.js']);
});
