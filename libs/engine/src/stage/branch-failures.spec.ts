import { expect, it } from '@jest/globals';
import type { Json } from '#libs/kernel';
import { branchFailures, statusOfBranches } from './branch-failures.js';

const branch = (id: string, status: string, rest = {}) => ({ id, index: 0, status, ...rest });

it.each<[Json[], string, string | undefined]>([
  [[], 'succeeded', undefined],
  [[branch('a', 'succeeded'), branch('b', 'succeeded')], 'succeeded', undefined],
  [[branch('a', 'succeeded'), branch('b', 'skipped')], 'partially_succeeded', undefined],
  [[branch('a', 'succeeded'), branch('b', 'failed')], 'partially_succeeded', '1 of 2 failed (b)'],
  [
    [branch('a', 'failed', { item_label: 'x.ts' }), branch('a', 'failed')],
    'partially_succeeded',
    '2 of 2 failed (x.ts, a)',
  ],
  [[7, branch('a', 'failed')], 'partially_succeeded', '1 of 2 failed (a)'],
])('branches that ended as %j are %s', (results, status, failures) => {
  expect([statusOfBranches(results), branchFailures(results)]).toEqual([status, failures]);
});

it('names a few of many', () => {
  const results = Array.from({ length: 9 }, (_, n) => branch(`n${n}`, 'failed'));
  expect(branchFailures(results)).toBe('9 of 9 failed (n0, n1, n2, n3, n4 and 4 more)');
});

it('knows nothing of what is no list', () => {
  expect(branchFailures(undefined)).toBeUndefined();
  expect(branchFailures('none')).toBeUndefined();
});
