import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { exitCodeOfRefusal, exitCodes, exitCodeTable } from './exit-code.js';

it('has one line for each code, which the guide has, too', async () => {
  expect(exitCodeTable.map(([code]) => code)).toEqual(Object.values(exitCodes));
  const guide = await readFile('docs/guide/ci.md', 'utf8');
  const rows = [...guide.matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
  expect(rows).toEqual(exitCodeTable);
});

it.each([
  [400, undefined, 2],
  [404, 'run_not_found', 2],
  [401, 'unauthorized', 4],
  [403, undefined, 4],
  [429, 'too_many_wrong_tokens', 4],
  [429, 'too_many_streams', 1],
  [409, 'run_archived', 1],
  [409, undefined, 1],
  [413, undefined, 1],
  [500, undefined, 1],
  [503, undefined, 1],
])('a refusal with the status %i (%s) ends a command with %i', (status, code, exitCode) => {
  expect(exitCodeOfRefusal(status, code)).toBe(exitCode);
});
