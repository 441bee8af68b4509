import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { FakeWire } from '../../../../test/support/api/fake-wire.js';
import { MemoryLogs, MemoryNotices } from '../../../../test/support/api/memory-log.js';
import { OTHER_RUN_ID, RUN_ID } from '../../../../test/support/api/samples.js';
import { RunStreams } from './run-streams.js';

let logs: MemoryLogs;
let notices: MemoryNotices;
let streams: RunStreams;
beforeEach(() => {
  jest.useFakeTimers();
  logs = new MemoryLogs();
  notices = new MemoryNotices();
  streams = new RunStreams(logs, notices);
});
afterEach(() => {
  jest.useRealTimers();
});

function attach(...runIds: RunId[]) {
  const wire = new FakeWire();
  const start = { tenantId: DEFAULT_TENANT, ...(runIds.length > 0 && { runIds: new Set<string>(runIds) }) };
  return { wire, over: streams.followAll(start, wire, () => Promise.resolve()) };
}

function append(runId: RunId, count = 1): void {
  let toSeq = 0;
  for (let made = 0; made < count; made += 1) {
    toSeq = logs.of(runId).add(`"${runId} ${logs.of(runId).events.length + 1}"`);
  }
  notices.publish({ tenantId: DEFAULT_TENANT, runId, fromSeq: toSeq - count + 1, toSeq });
}

const settle = () => jest.advanceTimersByTimeAsync(0);
const seen = ({ text }: FakeWire, runId: RunId) =>
  [...text.matchAll(/^data: "(\w+) (\d+)"$/gm)].filter(([, run]) => run === runId).map(([, , seq]) => Number(seq));
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('the stream of all runs', () => {
  it.each([
    ['goes on', false, 5_000],
    ['had ended at once', true, 0],
  ])('begins again with another run that got the id of one that %s', async (_, ended, ms) => {
    const { wire } = attach();
    append(RUN_ID, 2);
    if (ended) logs.of(RUN_ID).add(`"${RUN_ID} 3"`, true);
    if (ended) notices.publish({ tenantId: DEFAULT_TENANT, runId: RUN_ID, fromSeq: 3, toSeq: 3 });
    await jest.advanceTimersByTimeAsync(ms);
    logs.of(RUN_ID).beginAgain('2026-11-22T13:00:00.000000Z');
    append(RUN_ID, 2);
    await settle();
    append(RUN_ID);
    await settle();
    expect(seen(wire, RUN_ID)).toEqual([...upTo(ended ? 3 : 2), ...upTo(3)]);
  });

  it('begins now, and has the events of every run in order, without ids', async () => {
    append(RUN_ID, 3);
    const { wire } = attach();
    for (let round = 0; round < 300; round += 1) {
      append(RUN_ID, 2);
      append(OTHER_RUN_ID);
    }
    await settle();
    expect(seen(wire, RUN_ID)).toEqual(upTo(603, 4));
    expect(seen(wire, OTHER_RUN_ID)).toEqual(upTo(300));
    expect(wire.text).not.toContain('id:');
  });

  it('may be of certain runs only', async () => {
    const { wire } = attach(OTHER_RUN_ID);
    for (let round = 0; round < 1_000; round += 1) append(round % 3 === 0 ? OTHER_RUN_ID : RUN_ID);
    await settle();
    expect(seen(wire, RUN_ID)).toEqual([]);
    expect(seen(wire, OTHER_RUN_ID)).toEqual(upTo(334));
  });

  it('fills the gap that a lost notice left, at the next one or within five seconds', async () => {
    const { wire } = attach();
    append(RUN_ID);
    await settle();
    logs.of(RUN_ID).add(`"${RUN_ID} 2"`);
    append(RUN_ID);
    await settle();
    expect(seen(wire, RUN_ID)).toEqual([1, 2, 3]);
    logs.of(RUN_ID).add(`"${RUN_ID} 4"`);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(seen(wire, RUN_ID)).toEqual([1, 2, 3, 4]);
  });

  it('repeats nothing when notices come twice or late', async () => {
    const { wire } = attach();
    append(RUN_ID, 2);
    append(RUN_ID, 3);
    await settle();
    notices.publish({ tenantId: DEFAULT_TENANT, runId: RUN_ID, fromSeq: 1, toSeq: 2 });
    notices.publish({ tenantId: DEFAULT_TENANT, runId: RUN_ID, fromSeq: 3, toSeq: 5 });
    await settle();
    expect(seen(wire, RUN_ID)).toEqual([1, 2, 3, 4, 5]);
  });

  it('cuts a client that falls behind, and the others notice nothing', async () => {
    const [slow, quick] = [attach(), attach()];
    slow.wire.awake = false;
    for (let round = 0; round < 20; round += 1) {
      append(RUN_ID, 400);
      await settle();
    }
    await jest.advanceTimersByTimeAsync(10_000);
    await slow.over;
    expect(slow.wire.wasCut).toBe(true);
    expect(seen(quick.wire, RUN_ID)).toEqual(upTo(8_000));
  });

  it('leaves nothing running when its clients leave', async () => {
    const open = [attach(), attach(RUN_ID)];
    append(RUN_ID);
    await settle();
    for (const { wire } of open) wire.leave();
    await Promise.all(open.map(({ over }) => over));
    expect(notices.listeners.size).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });
});
