import { describe, expect, it } from '@jest/globals';
import type { TenantId, RunId } from '#libs/kernel';
import { faultsOfLog } from '../support/checker/log-faults.js';
import type { CheckedRun, LoggedEvent } from '../support/checker/logged-event.js';
import { mostAtOnce, startOrderFaults } from '../support/checker/schedule-faults.js';

type Told = Partial<LoggedEvent> & { event: string };

/** A log of these events, in order, all by epoch 1 and a millisecond apart unless they say otherwise. */
function aLog(...events: Told[]): LoggedEvent[] {
  return events.map((event, index) => ({
    seq: index + 1,
    epoch: 1,
    storedAtMs: index,
    transaction: `${index}`,
    ...event,
  }));
}

const started = (stageId: string, attempt = 1, epoch = 1): Told => ({
  event: 'stage.started',
  handler: 'command',
  stageId,
  epoch,
  attemptId: `run/${stageId}/${attempt}/${epoch}`,
});
const completed = (stageId: string): Told => ({ event: 'stage.completed', stageId });
const end: Told = { event: 'run.completed' };
const failed: Told = { event: 'run.failed' };
const again: Told = { event: 'run.start_requested' };
const blocked: Told = { event: 'run.blocked' };
const unblocked: Told = { event: 'run.unblocked' };
const asked: Told = { event: 'interview.started', questionId: 'q' };
const answered: Told = { event: 'interview.completed', questionId: 'q' };

describe('the checker', () => {
  it('finds nothing in a log that is in order', () => {
    const retried: Told = { event: 'stage.failed', stageId: 'a@1', willRetry: true };
    const log = aLog(started('a@1'), retried, started('a@1', 2), completed('a@1'), end, { event: 'run.removing' });
    expect(faultsOfLog(log, true)).toEqual([]);
  });

  it('lets the next epoch go on with a stage, and others write without one', () => {
    const request: Told = { event: 'run.cancel.requested', epoch: null };
    const log = aLog(started('a@1'), started('a@1', 1, 2), request, { ...completed('a@1'), epoch: 2 });
    expect(faultsOfLog(log, false)).toEqual([]);
  });

  it('lets a failed run be resumed, and a run that is over be tidied up', () => {
    const resumed = aLog(blocked, failed, again, { event: 'run.submitted' }, blocked, unblocked, end);
    expect(faultsOfLog(resumed, true)).toEqual([]);
    expect(faultsOfLog(aLog(failed, { event: 'run.superseded_by' }, { event: 'run.archived' }), true)).toEqual([]);
  });

  it.each<[string, LoggedEvent[], string]>([
    ['a gap', aLog(started('a@1'), { ...completed('a@1'), seq: 3 }, { ...end, seq: 4 }), 'seq 3 stands in place 2'],
    ['a repeat', aLog(started('a@1'), { ...completed('a@1'), seq: 1 }, end), 'seq 1 stands in place 2'],
    [
      'a late writer',
      aLog({ event: 'run.claimed', epoch: 2 }, started('a@1'), end),
      'epoch 1 writes seq 2 after epoch 2',
    ],
    ['no end', aLog(started('a@1')), 'its log has no end'],
    ['two ends', aLog(end, failed), 'run.failed (2) follows the end'],
    ['a success that goes on', aLog(end, again, end), 'run.start_requested (2) follows the end'],
    ['a block in a block', aLog(blocked, blocked, end), 'run.blocked (2) follows run.blocked'],
    ['a run unblocked for nothing', aLog(unblocked, end), 'run.unblocked (1) follows'],
    ['a word after the end', aLog(end, started('a@1')), 'stage.started (2) follows the end'],
    [
      'a repeated stage',
      aLog(started('a@1'), completed('a@1'), started('a@1', 1, 2), { ...end, epoch: 2 }),
      'executed again',
    ],
    ['two outcomes', aLog(started('a@1'), completed('a@1'), completed('a@1'), end), 'a@1 has a second outcome'],
    ['two answers', aLog(asked, answered, answered, end), 'interview.completed (3) closes nothing that is open'],
    ['a late answer', aLog(asked, { ...answered, event: 'interview.timeout' }, answered, end), 'closes nothing'],
    ['an attempt twice', aLog(started('a@1'), started('a@1'), end), 'attempt run/a@1/1/1 is started again'],
  ])('sees %s', (_, log, fault) => {
    expect(faultsOfLog(log, true).join('\n')).toContain(fault);
  });

  it('sees an end in a run that is not over', () => {
    expect(faultsOfLog(aLog(end), false)).toHaveLength(1);
  });

  it('counts the runs that were at work at the same moment', () => {
    const from = (ms: number): LoggedEvent[] =>
      aLog({ ...started('a@1'), storedAtMs: ms }, { ...completed('a@1'), storedAtMs: ms + 10 });
    expect(mostAtOnce([from(0), from(10), from(20)])).toBe(1);
    expect(mostAtOnce([from(0), from(5), from(9), from(11)])).toBe(3);
    expect(mostAtOnce([])).toBe(0);
  });

  describe('of the order in which runs start', () => {
    const starting = (runnableSeq: number, storedAtMs: number, transaction: string, tenant = 'a'): CheckedRun => ({
      head: {
        tenantId: tenant as TenantId,
        runId: `run-${runnableSeq}` as RunId,
        status: 'running',
        slot: 'held',
        nextSeq: 2,
        runnableSeq,
      },
      log: aLog({ event: 'run.starting', storedAtMs, transaction }),
    });

    it('asks nothing of runs that start in one commit, and keeps tenants apart', () => {
      const runs = [starting(1, 5, 'x'), starting(2, 4, 'x'), starting(3, 6, 'y'), starting(1, 9, 'y', 'b')];
      expect([...startOrderFaults(runs)]).toEqual([]);
    });

    it('sees who overtakes', () => {
      const runs = [starting(1, 7, 'z'), starting(2, 4, 'x'), starting(3, 6, 'y')];
      expect([...startOrderFaults(runs)]).toEqual(['run-1: number 1 of its tenant started after number 3']);
    });
  });
});
