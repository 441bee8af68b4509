import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type TextDelta } from '#libs/engine';
import { DEFAULT_TENANT, RunyardError } from '#libs/kernel';
import { FakeWire } from '../../../../test/support/api/fake-wire.js';
import { MemoryLog, MemoryNotices } from '../../../../test/support/api/memory-log.js';
import { OTHER_RUN_ID, RUN_ID } from '../../../../test/support/api/samples.js';
import { RunStreams } from './run-streams.js';

class AwayError extends RunyardError {
  readonly kind = 'unavailable';
}

let log: MemoryLog;
let notices: MemoryNotices;
let streams: RunStreams;
beforeEach(() => {
  jest.useFakeTimers();
  log = new MemoryLog();
  notices = new MemoryNotices();
  streams = new RunStreams(log, notices);
});
afterEach(() => {
  jest.useRealTimers();
});

/** Opens a stream; `over` resolves when it has ended. */
function attach(
  from = 1,
  allowed: () => Promise<unknown> = () => Promise.resolve(),
  { deltas = false, isGoingOn = false } = {},
) {
  const wire = new FakeWire();
  const start = { tenantId: DEFAULT_TENANT, runId: RUN_ID, bornAt: log.bornAt, from, deltas, isGoingOn };
  const over = streams.follow(start, wire, allowed);
  return { wire, over };
}

function append(count = 1, terminal = false): void {
  let toSeq = 0;
  for (let made = 0; made < count; made += 1) toSeq = log.add('{}', terminal);
  notices.publish({ tenantId: DEFAULT_TENANT, runId: RUN_ID, fromSeq: toSeq - count + 1, toSeq });
}

const settle = () => jest.advanceTimersByTimeAsync(0);
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('a stream of all runs', () => {
  const begun = () => {
    let isBegun = false;
    const over = streams.whileHearing(DEFAULT_TENANT, async () => void (isBegun = true));
    return { isBegun: () => isBegun, over };
  };

  it('begins once notices are heard', async () => {
    let hear = () => undefined as void;
    notices.ready = () => new Promise((resolve) => (hear = resolve));
    const { isBegun, over } = begun();
    await settle();
    expect([isBegun(), notices.listeners.size]).toEqual([false, 1]);
    hear();
    await over;
    expect([isBegun(), notices.listeners.size, jest.getTimerCount()]).toEqual([true, 0, 0]);
  });

  it('waits for notices no longer than a second', async () => {
    notices.ready = () => new Promise(() => undefined);
    const { isBegun } = begun();
    await jest.advanceTimersByTimeAsync(999);
    expect(isBegun()).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(isBegun()).toBe(true);
  });
});

describe('a stream', () => {
  it('replays the log from its first event and then follows, each event once and in order', async () => {
    append(1_200);
    const { wire } = attach(3);
    await settle();
    append(5);
    await settle();
    append();
    append();
    await settle();
    expect(wire.seqs).toEqual(upTo(1_207, 3));
  });

  it('has nothing of another run that got the id, neither from memory nor from the log', async () => {
    append(3);
    const before = attach();
    await settle();
    log.beginAgain('2026-11-22T13:00:00.000000Z');
    for (let seq = 1; seq <= 5; seq += 1) log.add(`{"of":"the second"}`);
    const after = attach();
    await settle();
    expect(after.wire.text.match(/the second/g)).toHaveLength(5);
    append();
    await settle();
    await jest.advanceTimersByTimeAsync(5_000);
    await before.over;
    expect(before.wire.seqs).toEqual(upTo(3));
    expect(before.wire.text).not.toContain('the second');
  });

  it('ends after the terminal event, and sends what was stored behind it', async () => {
    append(2);
    const { wire, over } = attach();
    await settle();
    log.add('{"event":"run.completed"}', true);
    append();
    await over;
    expect(wire).toMatchObject({ ended: true, seqs: [1, 2, 3, 4] });
  });

  it('ends at once when it begins behind the end of a run that is over', async () => {
    append(3, true);
    const { wire, over } = attach(4);
    await over;
    expect(wire).toMatchObject({ ended: true, text: '' });
  });

  it('goes on when the run was resumed before its end was sent', async () => {
    append(3, true);
    log.ended = false;
    const { wire } = attach();
    await settle();
    append();
    await settle();
    expect(wire).toMatchObject({ ended: false, seqs: [1, 2, 3, 4] });
  });

  it('finds an event whose notice was lost within five seconds', async () => {
    const { wire } = attach();
    await settle();
    log.add();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(wire.seqs).toEqual([1]);
  });

  it('finds an event whose notice was lost at once when it is told that some were', async () => {
    const { wire } = attach();
    await settle();
    log.add();
    notices.miss();
    await settle();
    expect(wire.seqs).toEqual([1]);
  });

  it('hears of an event that is committed while it looks', async () => {
    const head = log.head.bind(log);
    log.head = async () => {
      const answer = await head();
      if (log.events.length === 0) append();
      return answer;
    };
    const { wire } = attach();
    await settle();
    expect(wire.seqs).toEqual([1]);
  });

  it('waits for a cursor beyond the log', async () => {
    append(2);
    const { wire } = attach(4);
    await settle();
    append(2);
    await settle();
    expect(wire.seqs).toEqual([4]);
  });

  describe('of a log that lost its end', () => {
    const SHORTER = ': the log ends at 2, before 3: the database lost what came after it\n\n';

    it('goes on from where the log ends, for a client that comes back with a later event', async () => {
      append(2);
      const { wire } = attach(4, undefined, { isGoingOn: true });
      await settle();
      expect(wire.text).toBe(SHORTER);
      append(2);
      await settle();
      expect(wire.seqs).toEqual([3, 4]);
    });

    it('goes on from where the log ends, for a client that followed it', async () => {
      append(3);
      const { wire } = attach();
      await settle();
      log.events.splice(2, 1, { seq: 3, json: '{"another":true}', terminal: false });
      log.events.length = 2;
      await jest.advanceTimersByTimeAsync(5_000);
      append(2);
      await settle();
      expect(wire.seqs).toEqual([1, 2, 3, 3, 4]);
      const { wire: later } = attach();
      await settle();
      expect(later.seqs).toEqual([1, 2, 3, 4]);
      expect(wire.text).toContain(SHORTER);
    });

    it('ends when the run is over there', async () => {
      append(2, true);
      const { wire, over } = attach(4, undefined, { isGoingOn: true });
      await over;
      expect(wire).toMatchObject({ ended: true, text: SHORTER });
    });
  });

  it('shows every 15 seconds that it lives', async () => {
    const { wire } = attach();
    await jest.advanceTimersByTimeAsync(30_000);
    expect(wire.text).toBe(': still here\n\n: still here\n\n');
  });

  it('ends when the caller may no longer read', async () => {
    const { wire, over } = attach(1, () => Promise.reject(new Error('revoked')));
    await jest.advanceTimersByTimeAsync(15_000);
    await over;
    expect(wire.ended).toBe(true);
  });

  it('goes on when nobody can say whether the caller may still read', async () => {
    const { wire } = attach(1, () => Promise.reject(new AwayError('no database')));
    await jest.advanceTimersByTimeAsync(45_000);
    expect(wire.ended).toBe(false);
  });

  it('outlives a log that is out of reach for a while', async () => {
    append(2);
    const { wire } = attach();
    await settle();
    log.failure = new AwayError('no database');
    append(2);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(wire).toMatchObject({ ended: false, seqs: [1, 2] });
    log.failure = undefined;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(wire.seqs).toEqual([1, 2, 3, 4]);
  });

  it('ends and rejects when the log cannot be read', async () => {
    log.failure = new Error('no database');
    const { wire, over } = attach();
    await expect(over).rejects.toThrow('no database');
    expect(wire.ended).toBe(true);
  });

  it('reads no further than a client that takes nothing', async () => {
    append(5_000);
    const { wire, over } = attach();
    wire.awake = false;
    await jest.advanceTimersByTimeAsync(5_000);
    await over;
    expect(wire.wasCut).toBe(true);
    expect(log.reads).toBeLessThan(4);
  });

  it('leaves nothing running when its client leaves', async () => {
    const { wire, over } = attach();
    await settle();
    wire.leave();
    await over;
    expect(notices.listeners.size).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('models that speak and commands that print', () => {
  const said = (offset: number, text: string): TextDelta => ({
    source: 'model',
    ...{ tenantId: DEFAULT_TENANT, runId: RUN_ID, nodeId: 'ask', nodeLabel: 'Ask', stageId: 'ask@1', visit: 1 },
    ...{ offset, text },
  });

  it('are shown to those who ask for it, once they have seen the log, in frames without an id', async () => {
    append(2);
    const [watching, reading] = [attach(1, undefined, { deltas: true }), attach()];
    notices.show(said(0, 'too early'));
    await settle();
    notices.show(said(9, 'Hello'));
    notices.show({ ...said(4, 'ok'), source: 'command' });
    append();
    await settle();
    expect(watching.wire.seqs).toEqual([1, 2, 3]);
    const shown = watching.wire.text.split('\n\n').filter((frame) => frame.startsWith('data: '));
    expect(shown.map((frame) => JSON.parse(frame.slice(6)) as object)).toEqual([
      {
        event: 'agent.llm.delta',
        run_id: RUN_ID,
        node_id: 'ask',
        node_label: 'Ask',
        stage_id: 'ask@1',
        properties: { visit: 1, kind: 'text', offset: 9, delta: 'Hello' },
      },
      expect.objectContaining({
        event: 'command.output.delta',
        properties: { visit: 1, kind: 'text', offset: 4, delta: 'ok' },
      }),
    ]);
    expect(reading.wire.text).not.toContain('delta');
    watching.wire.leave();
    await watching.over;
    expect(notices.watchers.size).toBe(0);
  });
});

describe('followers who stand at different places', () => {
  it('share the reads of a log, page by page', async () => {
    append(2_000);
    const followers = Array.from({ length: 500 }, (_, index) => ({ first: index * 4 + 1, ...attach(index * 4 + 1) }));
    await settle();
    expect(log.reads).toBe(4);
    for (const { wire, first } of followers) expect(wire.seqs).toEqual(upTo(2_000, first));
  });

  it('hold no pages: what was put away is read again', async () => {
    for (let made = 0; made < 100; made += 1) log.add(`"${'x'.repeat(250_000)}"`);
    const slow = attach();
    slow.wire.awake = false;
    await settle();
    const other = new FakeWire();
    const otherRun = { tenantId: DEFAULT_TENANT, runId: OTHER_RUN_ID, bornAt: log.bornAt, from: 1 };
    void streams.follow(otherRun, other, () => Promise.resolve());
    await settle();
    const before = log.reads;
    slow.wire.awake = true;
    slow.wire.wake();
    await settle();
    expect(log.reads).toBeGreaterThan(before);
    expect(slow.wire.seqs).toEqual(upTo(100));
  });
});

describe('a thousand followers of one run', () => {
  it('cost one read for each change', async () => {
    append(10);
    const followers = Array.from({ length: 1_000 }, () => attach());
    await settle();
    const before = log.reads;
    append(3);
    await settle();
    expect(log.reads - before).toBeLessThanOrEqual(2);
    expect(followers.every(({ wire }) => wire.seqs.length === 13)).toBe(true);
    expect(notices.listeners.size).toBe(1);
  });
});

describe('closing', () => {
  it('ends every stream and lets no new one begin', async () => {
    const open = [attach(), attach()];
    await settle();
    streams.closeAll();
    await Promise.all(open.map(({ over }) => over));
    expect(open.every(({ wire }) => wire.ended)).toBe(true);
    expect(() => streams.assertOpen()).toThrow('shutting down');
  });
});
