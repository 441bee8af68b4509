import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DEFAULT_TENANT } from '#libs/kernel';
import { FakeWire } from '../../../../test/support/api/fake-wire.js';
import { MemoryLog, MemoryNotices } from '../../../../test/support/api/memory-log.js';
import { RUN_ID } from '../../../../test/support/api/samples.js';
import { RunStreams } from './run-streams.js';

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
function attach(from = 1, allowed: () => Promise<unknown> = () => Promise.resolve()) {
  const wire = new FakeWire();
  const over = streams.follow({ tenantId: DEFAULT_TENANT, runId: RUN_ID, from }, wire, allowed);
  return { wire, over };
}

function append(count = 1, terminal = false): void {
  let toSeq = 0;
  for (let made = 0; made < count; made += 1) toSeq = log.add('{}', terminal);
  notices.publish({ tenantId: DEFAULT_TENANT, runId: RUN_ID, toSeq });
}

const settle = () => jest.advanceTimersByTimeAsync(0);
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

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
