import { describe, expect, it } from '@jest/globals';
import { isTerminal, stamp, type RunEvent, type RunStatusKind } from '#libs/events';
import { isArchivedAfter, OVER, statusAfter } from './head-status.js';

const events = (...names: RunEvent['event'][]) => names.map((event) => stamp({ event, properties: {} } as RunEvent, 0));

describe('statusAfter', () => {
  it.each<[RunEvent['event'], RunStatusKind | null]>([
    ['run.submitted', 'submitted'],
    ['run.runnable', 'runnable'],
    ['run.starting', 'starting'],
    ['run.running', 'running'],
    ['run.completed', 'succeeded'],
    ['run.failed', 'failed'],
    ['run.removing', 'removing'],
    ['run.created', null],
    ['run.claimed', null],
    ['run.started', null],
    ['run.parked', null],
    ['run.notice', null],
    ['run.cancel.requested', null],
    ['stage.failed', null],
  ])('of %s is %s', (event, status) => expect(statusAfter(events(event))).toBe(status));

  it('is what the last event that changes it says', () => {
    expect(statusAfter(events('run.starting', 'run.running', 'stage.started', 'run.notice'))).toBe('running');
    expect(statusAfter(events('run.running', 'stage.failed', 'run.failed'))).toBe('failed');
  });

  it('changes nothing without events', () => expect(statusAfter([])).toBeNull());
});

describe('isArchivedAfter', () => {
  it('is what the last event about it says, and null without one', () => {
    expect(isArchivedAfter(events('run.archived', 'run.title.updated'))).toBe(true);
    expect(isArchivedAfter(events('run.archived', 'run.unarchived'))).toBe(false);
    expect(isArchivedAfter(events('run.title.updated'))).toBeNull();
  });
});

describe('OVER', () => {
  it('lists the terminal statuses and the one before removal', () => {
    const listed = [...OVER.matchAll(/'(\w+)'/g)].map(([, kind]) => kind as RunStatusKind);
    const kinds: RunStatusKind[] = [
      'submitted',
      'pending',
      'runnable',
      'starting',
      'running',
      'blocked',
      'paused',
      'removing',
      'succeeded',
      'failed',
      'dead',
    ];
    expect(listed.sort()).toEqual(kinds.filter((kind) => isTerminal(kind) || kind === 'removing').sort());
  });
});
