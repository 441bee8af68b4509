import { describe, expect, it } from '@jest/globals';
import type { TenantId, RunId } from '#libs/kernel';
import { headFaults } from '../support/checker.js';
import { deadlineFaults } from '../support/checker/deadline-faults.js';
import { faultsOfLog } from '../support/checker/log-faults.js';
import type { CheckedRun, LoggedEvent } from '../support/checker/logged-event.js';
import { mostAtOnce, startOrderFaults } from '../support/checker/schedule-faults.js';
import { shareFaults } from '../support/checker/share-faults.js';
import { standstillFaults } from '../support/checker/standstill-faults.js';

type Told = Partial<LoggedEvent> & { event: string };

/** A log of these events, in order, all by epoch 1 and a millisecond apart unless they say otherwise. */
function aLog(...events: Told[]): LoggedEvent[] {
  return events.map((event, index) => ({
    seq: index + 1,
    id: `${index}`,
    epoch: 1,
    storedAtMs: index,
    tsMs: event.storedAtMs ?? index,
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
const parked: Told = { event: 'run.parked' };
const asked: Told = { event: 'interview.started', questionId: 'q' };
const answered: Told = { event: 'interview.completed', questionId: 'q' };

function aHead(slot: string, tenant = 'a'): CheckedRun['head'] {
  const key = { tenantId: tenant as TenantId, runId: 'run' as RunId };
  return { ...key, status: 'succeeded', slot, nextSeq: 2, runnableSeq: 1, hasDefinitions: true };
}

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
    [
      'an event that is stored again',
      aLog(started('a@1'), { ...completed('a@1'), id: '0' }, end),
      'is the event of seq 1',
    ],
    [
      'a run that is woken for nothing',
      aLog(parked, parked, parked, parked, end),
      'it was woken 3 times in a row for nothing',
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
        hasDefinitions: true,
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

  describe('of time limits', () => {
    const at = (told: Told, storedAtMs: number, tsMs = storedAtMs): Told => ({ ...told, storedAtMs, tsMs });
    const question = { ...asked, limitMs: 10_000 };
    const timeout: Told = { event: 'interview.timeout', questionId: 'q' };
    const wait: Told = { event: 'stage.waiting', stageId: 'w@1', limitMs: 5_000 };
    const retrying: Told = { event: 'stage.retrying', stageId: 'a@1', limitMs: 5_000 };
    const faults = (...told: Told[]): string[] => [...deadlineFaults(aLog(...told))];

    it('forgives a second, a clock that is slow to store, and everything about a run that is cancelled', () => {
      expect(faults(at(question, 1_000), at(timeout, 10_100))).toEqual([]);
      expect(faults(at(started('w@1'), 0), at(wait, 4_000, 500), at(completed('w@1'), 5_600))).toEqual([]);
      const cancel: Told = { event: 'run.cancel.requested' };
      expect(faults(at(wait, 0), at(cancel, 1), at(completed('w@1'), 2))).toEqual([]);
    });

    it('does not judge what was copied from another run', () => {
      const copy = { isCopy: true };
      expect(faults({ ...at(wait, 0), ...copy }, { ...at(completed('w@1'), 0), ...copy })).toEqual([]);
    });

    it.each<[string, Told[], string]>([
      [
        'a question that is closed early',
        [at(question, 0), at(timeout, 8_000)],
        'question q is over 2000 ms too early',
      ],
      ['a wait that is over early', [at(wait, 0), at(completed('w@1'), 100)], 'the wait of w@1 is over 4900 ms'],
      ['a retry that comes early', [at(retrying, 0), at(started('a@1', 2), 3_000)], 'the pause of a@1 is over 2000 ms'],
      [
        'a limit that was set by a clock 90 s behind',
        [at(started('a@1'), 100_000, 10_000), at(question, 101_000, 11_000), at(timeout, 101_500)],
        'question q is over 8500 ms too early',
      ],
      [
        'a limit that was judged by a clock ahead',
        [at(started('a@1'), 0), at(question, 1_000), at(timeout, 2_000, 92_000)],
        'question q is over 9000 ms too early',
      ],
    ])('sees %s', (_, told, fault) => {
      expect(faults(...told).join('\n')).toContain(fault);
    });
  });

  describe('of runs that stand still', () => {
    const faults = (slot: string, status: CheckedRun['head']['status'], ...told: Told[]): string[] => [
      ...standstillFaults({ slot, status }, aLog(...told), { nowMs: 61_001, boundMs: 60_000 }),
    ];
    const claimed = (storedAtMs: number): Told => ({ event: 'run.claimed', storedAtMs });

    it('lets them wait where they hold nothing, and be silent for a while', () => {
      expect(faults('parked', 'blocked', asked)).toEqual([]);
      expect(faults('queued', 'runnable', again)).toEqual([]);
      expect(faults('held', 'running', { ...started('a@1'), storedAtMs: 2_000 })).toEqual([]);
    });

    it.each(['held', 'none'])('sees one that is claimed again and again while it starts, slot %s', (slot) => {
      const told = [{ event: 'run.starting', storedAtMs: 1_000 }, claimed(20_000), claimed(60_000)];
      expect(faults(slot, 'starting', ...told)).toEqual([
        `it is starting, slot ${slot}, and nothing was heard of it for 60001 ms`,
      ]);
    });

    it('sees one that is held for ever', () => {
      expect(faults('held', 'running', started('a@1'))).toHaveLength(1);
    });
  });

  it('sees a run whose specification is not stored', () => {
    const { head, log } = { head: aHead('none'), log: aLog(end) };
    expect([...headFaults(head, log, true)]).toEqual([]);
    expect([...headFaults({ ...head, hasDefinitions: false }, log, true)]).toEqual([
      'its specification or its manifest is not stored',
    ]);
  });

  describe('of the shares of tenants', () => {
    let transactions = 0;
    /** A run that became runnable, started and ended at these moments. */
    const aRun = (tenant: string, runnable: number, starting: number, ended: number): CheckedRun => {
      const one = (event: string, storedAtMs: number): Told => ({
        event,
        storedAtMs,
        transaction: `${transactions++}`,
      });
      const told = [one('run.runnable', runnable), one('run.starting', starting), one('run.completed', ended)];
      return { head: aHead('none', tenant), log: aLog(...told) };
    };

    it('lets two tenants take turns, and one of them have what the other does not want', () => {
      const turns = [0, 1, 2, 3].map((n) => aRun(n % 2 ? 'a' : 'b', 0, 10 * n + 1, 10 * n + 10));
      expect([...shareFaults(turns)]).toEqual([]);
      expect([...shareFaults([0, 1, 2, 3, 4].map((n) => aRun('a', 0, 10 * n + 1, 10 * n + 10)))]).toEqual([]);
    });

    it('does not call it unfair when a tenant has something at work, or its run leaves the queue', () => {
      const busy = [aRun('a', 0, 1, 100), aRun('a', 0, 101, 110)];
      const others = [0, 1, 2, 3].map((n) => aRun('b', 0, 10 * n + 2, 10 * n + 9));
      expect([...shareFaults([...busy, ...others])]).toEqual([]);
      const cancelled = {
        ...aRun('a', 0, 1, 100),
        log: aLog({ event: 'run.runnable' }, { ...failed, storedAtMs: 99 }),
      };
      expect([...shareFaults([cancelled, ...others])]).toEqual([]);
    });

    it('sees a tenant that starves', () => {
      const starved = aRun('a', 0, 100, 110);
      const others = [0, 1, 2, 3].map((n) => aRun('b', 0, 10 * n + 2, 10 * n + 9));
      expect([...shareFaults([starved, ...others])]).toEqual([
        'tenant a waits with nothing at work, and tenant b is served 3 times',
      ]);
    });

    it('sees a tenant that starves in the end, too', () => {
      const starved = { head: aHead('queued', 'a'), log: aLog({ event: 'run.runnable', transaction: 'first' }) };
      const others = [0, 1, 2].map((n) => aRun('b', 0, 10 * n + 2, 10 * n + 9));
      expect([...shareFaults([starved, ...others])]).toHaveLength(1);
    });
  });
});
