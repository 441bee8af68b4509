import { describe, expect, it } from '@jest/globals';
import type { RunKey } from '#libs/engine';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { SetAside } from './set-aside.js';

const run: RunKey = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
const other: RunKey = { ...run, runId: '01J0000000000000000000000B' as RunId };
const MINUTE = 60_000;

describe('A run that is set aside', () => {
  it('rests for ten minutes, twice as long after each failure, a day at most', () => {
    let now = 0;
    const aside = new SetAside(() => now);
    const rests = [];
    for (let n = 0; n < 10; n++) {
      aside.add(run);
      const began = now;
      while (aside.has(run)) now += MINUTE;
      rests.push((now - began) / MINUTE);
    }
    expect(rests).toEqual([10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440]);
    expect(aside.has(other)).toBe(false);
  });

  it('is one like the others once it went well', () => {
    let now = 0;
    const aside = new SetAside(() => now);
    aside.add(run);
    aside.add(run);
    aside.remove(run);
    expect(aside.has(run)).toBe(false);
    aside.add(run);
    now = 10 * MINUTE;
    expect(aside.has(run)).toBe(false);
  });
});
