import { describe, expect, it } from '@jest/globals';
import { IllegalTransitionError, isTerminal, mayMove, type RunStatusKind } from './run-status.js';

/** Every move there is; `submitted` as a target is the way back into the queue. */
const table: Record<RunStatusKind, string> = {
  submitted: 'pending runnable failed removing',
  pending: 'runnable failed submitted removing',
  runnable: 'starting failed submitted removing',
  starting: 'running failed submitted removing',
  running: 'succeeded failed blocked paused submitted removing',
  blocked: 'running paused failed submitted removing',
  paused: 'running blocked failed submitted removing',
  removing: 'failed submitted',
  failed: 'submitted removing',
  succeeded: 'removing',
  dead: 'removing',
};
const kinds = Object.keys(table) as RunStatusKind[];

describe('a run', () => {
  it.each(kinds)('that is %s moves only where the table says', (from) => {
    const moves = kinds.filter((to) => to !== from && mayMove(from, to));
    expect(moves.sort()).toEqual(table[from].split(' ').sort());
  });

  it.each(kinds)('that is %s may be said to be so again', (kind) => {
    expect(mayMove(kind, kind)).toBe(true);
  });

  it('is over in three of them', () => {
    expect(kinds.filter(isTerminal)).toEqual(['failed', 'succeeded', 'dead']);
  });

  it('never runs on from an end', () => {
    for (const end of kinds.filter(isTerminal)) {
      expect(['running', 'starting', 'blocked', 'paused'].some((to) => mayMove(end, to as RunStatusKind))).toBe(false);
    }
  });
});

it('a request that the state refuses is a conflict, and says which state', () => {
  const error = new IllegalTransitionError('01J', 'succeeded', 'cancelled');
  expect(error.kind).toBe('conflict');
  expect(error.message).toBe('Run 01J is succeeded; it cannot be cancelled.');
});
