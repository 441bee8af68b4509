import { describe, expect, it } from '@jest/globals';
import { isTerminal, mayMove, RUN_STATUSES, saidStatus, stamp } from '#libs/events';
import { isOver, leadsTo, lifecycle, OVER_STATUSES, statusesFor, type Doing } from './lifecycle.js';

const all = Object.keys(lifecycle) as Doing[];

describe('the lifecycle', () => {
  it('leads nowhere where no log may lead; only death is not in the log', () => {
    const unheard = all.flatMap((doing) =>
      RUN_STATUSES.flatMap((from) =>
        leadsTo(doing, from)
          .filter((to) => !mayMove(from, to))
          .map((to) => `${doing}: ${from} -> ${to}`),
      ),
    );
    expect(unheard).toEqual([
      // Between them the run is submitted again.
      'resume: failed -> runnable',
      'resume: failed -> pending',
      'quarantine: starting -> dead',
      'quarantine: running -> dead',
      'quarantine: blocked -> dead',
    ]);
  });

  it('is over where nothing is left to cancel: at every end, and on the way out', () => {
    expect(OVER_STATUSES).toEqual(RUN_STATUSES.filter((status) => isTerminal(status) || status === 'removing'));
    expect(RUN_STATUSES.filter(isOver)).toEqual(OVER_STATUSES);
  });

  it('begins where a run is submitted, and goes on from a failure only', () => {
    expect(statusesFor('start')).toEqual(['submitted']);
    expect(statusesFor('resume')).toEqual(['submitted', 'failed']);
  });

  it('puts a promoted run where its event says', () => {
    const promoted = stamp({ event: 'run.starting', properties: {} }, 0);
    expect(leadsTo('promote', 'runnable')).toEqual([saidStatus({ kind: 'runnable' }, promoted)!.kind]);
  });

  it('wakes what waits for time, and leaves to people what is paused', () => {
    expect(statusesFor('wake').filter((status) => statusesFor('unpause').includes(status))).toEqual([]);
    expect(statusesFor('unpause')).toEqual(statusesFor('time_out'));
  });

  it('keeps what is removed out of everything but its removal, and notes', () => {
    const taken = all.filter((doing) => leadsTo(doing, 'removing').length > 0);
    expect(taken).toEqual(['rename', 'link', 'unlink', 'remove']);
  });
});
