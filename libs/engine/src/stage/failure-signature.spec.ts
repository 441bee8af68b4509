import { describe, expect, it } from '@jest/globals';
import type { FailureCategory } from '#libs/events';
import { failureSignature, isTracked } from './failure-signature.js';
import { growth, IN_PROPORTION } from '../../../../test/support/growth.js';

const signature = (message: string): string => failureSignature('build', { message, category: 'deterministic' });

describe('failureSignature', () => {
  it.each([
    ['Exit code: 3', 'exit code: <n>'],
    ['  Line 12, column  7\n ', 'line <n>,column <n>'],
    ['commit 0a1b2c3d4e5f is gone', 'commit <hex> is gone'],
    ['1234567 files', '<hex> files'],
    ['v2 and x10', 'v2 and x10'],
    ['abc123', 'abc123'],
    ['one, two,  three', 'one,two, three'],
    ['', 'unknown'],
    [' \n ', 'unknown'],
  ])('of %j ends in %j', (message, reason) => {
    expect(signature(message)).toBe(`build|deterministic|${reason}`);
  });

  it('tells nodes and classes apart', () => {
    expect(failureSignature('test', { message: 'x', category: 'structural' })).toBe('test|structural|x');
  });

  it('is cut at 240 bytes, between characters', () => {
    const long = signature('ä'.repeat(4_000));
    expect(Buffer.byteLength(long)).toBeGreaterThan(236);
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(240);
    expect(long).toMatch(/^build\|deterministic\|ä+$/);
  });

  it('takes time in proportion to the message', () => {
    const message = (size: number): string => `${' '.repeat(size)}x${'a1'.repeat(size)}${', '.repeat(size)}`;
    expect(growth((size) => () => signature(message(size)), 100_000)).toBeLessThan(IN_PROPORTION);
  });
});

it.each<[FailureCategory, boolean]>([
  ['deterministic', true],
  ['structural', true],
  ['transient_infra', false],
  ['budget_exhausted', false],
  ['compilation_loop', false],
  ['canceled', false],
])('repetitions of %s failures are counted: %s', (category, tracked) => {
  expect(isTracked(category)).toBe(tracked);
});
