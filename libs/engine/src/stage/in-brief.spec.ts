import { expect, it } from '@jest/globals';
import { jsonBytes } from '#libs/kernel';
import { resultInBrief } from './in-brief.js';
import { failed, succeeded, type AttemptResult } from './outcome.js';

const LONG = '\u0001'.repeat(300_000);

/** What a result takes in an event, beside its context values. */
function bytesOf(result: AttemptResult): number {
  if (result.kind === 'error') return jsonBytes(result.failure);
  const { contextUpdates: _, ...rest } = result.outcome;
  return jsonBytes(rest);
}

it('an ordinary result is as it was', () => {
  const outcome = {
    preferredLabel: 'Ship',
    suggestedNextIds: ['a', 'b'],
    notes: 'n'.repeat(4_000),
    contextUpdates: { x: 1 },
    filesTouched: ['a.ts'],
  };
  expect(resultInBrief(succeeded(outcome))).toEqual(succeeded(outcome));
  const failure = failed({ message: 'm'.repeat(5_000), category: 'deterministic', causes: ['c'] });
  expect(resultInBrief(failure)).toEqual(failure);
});

it.each<[string, AttemptResult]>([
  ['words', succeeded({ notes: LONG, preferredLabel: LONG })],
  ['a name', succeeded({ suggestedNextIds: [LONG, 'a'] })],
  ['names', succeeded({ suggestedNextIds: Array.from({ length: 100_000 }, (_, n) => `n${n}`) })],
  ['files', succeeded({ filesTouched: Array.from({ length: 100_000 }, (_, n) => `f${n}`) })],
  ['a failure', failed({ message: LONG, category: 'deterministic', causes: Array<string>(1_000).fill(LONG) })],
  ['an error', { kind: 'error', retryable: true, failure: { message: LONG, category: 'deterministic' } }],
])('a result with too much of %s fits into an event', (_, result) => {
  expect(bytesOf(resultInBrief(result))).toBeLessThan(32 * 1024);
});

it('the first names count, and those that no node can have do not', () => {
  const { outcome } = resultInBrief(succeeded({ suggestedNextIds: [LONG, 'b', 'a'] })) as AttemptResult & {
    kind: 'outcome';
  };
  expect(outcome.suggestedNextIds).toEqual(['b', 'a']);
});

it('context values are left to the worker', () => {
  const result = succeeded({ contextUpdates: { x: LONG } });
  expect(resultInBrief(result)).toEqual(result);
});
