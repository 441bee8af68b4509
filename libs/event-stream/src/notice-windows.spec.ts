import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EventNotice } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';
import { NoticeWindows } from './notice-windows.js';

const notice = (runId: string, toSeq: number, fromSeq = toSeq): EventNotice => ({
  tenantId: 'acme' as TenantId,
  runId: runId as RunId,
  fromSeq,
  toSeq,
});

describe('the windows of notices', () => {
  let passed: EventNotice[];
  let windows: NoticeWindows;
  beforeEach(() => {
    jest.useFakeTimers();
    passed = [];
    windows = new NoticeWindows((notice) => passed.push(notice));
  });
  afterEach(() => void jest.useRealTimers());

  it('pass the first notice at once', () => {
    windows.add(notice('a', 1));
    expect(passed).toEqual([notice('a', 1)]);
  });

  it('merge what follows within 20 ms to one that says all of it', () => {
    for (const toSeq of [1, 2, 5, 3]) windows.add(notice('a', toSeq));
    jest.advanceTimersByTime(19);
    expect(passed).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(passed).toEqual([notice('a', 1), notice('a', 5, 2)]);
  });

  it('pass at most one notice of a run every 20 ms, however many come', () => {
    for (let ms = 0; ms < 200; ms += 1) {
      windows.add(notice('a', ms));
      jest.advanceTimersByTime(1);
    }
    jest.advanceTimersByTime(20);
    expect(passed).toHaveLength(11);
    expect(passed.at(-1)).toEqual(notice('a', 199, 180));
  });

  it('do not let one run wait for another', () => {
    windows.add(notice('a', 1));
    jest.advanceTimersByTime(10);
    windows.add(notice('b', 1));
    windows.add(notice('b', 2));
    windows.add(notice('a', 2));
    jest.advanceTimersByTime(10);
    expect(passed.at(-1)).toEqual(notice('a', 2));
    jest.advanceTimersByTime(10);
    expect(passed.at(-1)).toEqual(notice('b', 2));
  });

  it('keep no timer for runs that fell silent', () => {
    windows.add(notice('a', 1));
    jest.advanceTimersByTime(20);
    expect(jest.getTimerCount()).toBe(0);
    windows.add(notice('a', 2));
    expect(passed).toHaveLength(2);
  });
});
