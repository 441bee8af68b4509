import { expect, it } from '@jest/globals';
import { settle } from './settle.js';

const failure = { message: 'no', category: 'deterministic' } as const;
const strict = { allowPartial: false, autoStatus: false };

it.each([
  ['failed', true, strict, 'failed'],
  ['failed', false, { ...strict, allowPartial: true }, 'failed'],
  ['failed', true, { ...strict, allowPartial: true }, 'partially_succeeded'],
  ['succeeded', true, { ...strict, allowPartial: true }, 'succeeded'],
  ['failed', true, { allowPartial: true, autoStatus: true }, 'succeeded'],
  ['failed', false, { ...strict, autoStatus: true }, 'succeeded'],
  ['partially_succeeded', false, { ...strict, autoStatus: true }, 'succeeded'],
  ['skipped', false, { ...strict, autoStatus: true }, 'skipped'],
  ['succeeded', false, { ...strict, autoStatus: true }, 'succeeded'],
] as const)('%s (retry wanted: %s) under %j is recorded as %s', (status, retryWanted, node, recorded) => {
  expect(settle({ status, failure }, retryWanted, node).status).toBe(recorded);
});

it('a success by auto_status says so and keeps no failure', () => {
  const contextUpdates = { a: 1 };
  expect(settle({ status: 'failed', failure, contextUpdates }, false, { ...strict, autoStatus: true })).toEqual({
    status: 'succeeded',
    contextUpdates,
    notes: 'auto-status: handler completed without writing status',
  });
});

it('a plain success keeps its own notes under auto_status', () => {
  const outcome = { status: 'succeeded', notes: 'Script completed: true' } as const;
  expect(settle(outcome, false, { ...strict, autoStatus: true })).toBe(outcome);
});
