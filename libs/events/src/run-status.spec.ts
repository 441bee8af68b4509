import { describe, expect, it } from '@jest/globals';
import type { RunEvent } from './envelope.js';
import { stamp } from './codec.js';
import {
  isTerminal,
  mayMove,
  RUN_STATUSES,
  STATUS_EVENTS,
  statusAfter,
  type KnownStatus,
  type RunStatus,
  type RunStatusKind,
} from './run-status.js';

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

const END = { timing: { wall_time_ms: 0, inference_time_ms: 0, tool_time_ms: 0, active_time_ms: 0 } };
const PROPERTIES: Partial<Record<RunEvent['event'], object>> = {
  'run.completed': { reason: 'completed', ...END },
  'run.failed': { failure: { reason: 'cancelled', detail: { message: '', category: 'canceled' } }, ...END },
};

function after(before: KnownStatus, ...names: RunEvent['event'][]): RunStatus | KnownStatus {
  return names
    .map((event) => stamp({ event, properties: PROPERTIES[event] ?? {} } as RunEvent, 0))
    .reduce<RunStatus | KnownStatus>((status, event) => statusAfter(status, event), before);
}

const running = { kind: 'running' } as const;
const blocked = { kind: 'blocked', blocked_reason: 'human_input_required' } as const;
const pausedOf = (prior_block: 'human_input_required' | null) => ({ kind: 'paused', prior_block }) as const;

describe('the status', () => {
  it.each<[RunStatusKind, RunEvent['event'], RunStatusKind]>([
    ['submitted', 'run.pending', 'pending'],
    ['submitted', 'run.runnable', 'runnable'],
    ['pending', 'run.runnable', 'runnable'],
    ['runnable', 'run.starting', 'starting'],
    ['starting', 'run.running', 'running'],
    ['running', 'run.blocked', 'blocked'],
    ['blocked', 'run.unblocked', 'running'],
    ['running', 'run.completed', 'succeeded'],
    ['blocked', 'run.failed', 'failed'],
    ['failed', 'run.submitted', 'submitted'],
    ['failed', 'run.removing', 'removing'],
  ])('of a %s run after %s is %s', (kind, event, next) => {
    expect(after({ kind } as KnownStatus, event).kind).toBe(next);
  });

  it('is said by these events and by no other', () => {
    expect(STATUS_EVENTS).toEqual([
      ...['run.submitted', 'run.pending', 'run.runnable', 'run.starting', 'run.running', 'run.blocked'],
      ...['run.unblocked', 'run.paused', 'run.unpaused', 'run.completed', 'run.failed', 'run.removing'],
    ]);
    expect(after(running, 'run.notice', 'run.parked', 'run.cancel.requested', 'stage.failed')).toBe(running);
  });

  it('of a paused run stays so whatever is asked or answered meanwhile, and goes back to what it was then', () => {
    expect(after(blocked, 'run.paused')).toEqual(pausedOf('human_input_required'));
    expect(after(blocked, 'run.paused', 'run.unblocked')).toEqual(pausedOf(null));
    expect(after(running, 'run.paused', 'run.blocked')).toEqual(pausedOf('human_input_required'));
    expect(after(blocked, 'run.paused', 'run.unpaused')).toEqual(blocked);
    expect(after(blocked, 'run.paused', 'run.unblocked', 'run.unpaused')).toEqual(running);
  });

  it('of a run that is over is not said twice, and a move that the table forbids is none', () => {
    const failed = { kind: 'failed', reason: 'workflow_error' } as const;
    expect(after(failed, 'run.failed', 'run.completed', 'run.running', 'run.paused')).toBe(failed);
  });

  it('does not follow what is copied from another run', () => {
    const copied = { ...stamp({ event: 'run.paused', properties: {} }, 0), origin: { run_id: '01J', seq: 3 } };
    expect(statusAfter(running, copied)).toBe(running);
  });

  it('is one of eleven', () => expect([...RUN_STATUSES].sort()).toEqual([...kinds].sort()));
});
