import { describe, expect, it } from '@jest/globals';
import type { RunId, TenantId } from '#libs/kernel';
import { RecentEvents } from './recent-events.js';

const run = { tenantId: 't' as TenantId, runId: 'r' as RunId };
const NOON = '2026-11-22T12:00:00.000000Z';
const ONE = '2026-11-22T13:00:00.000000Z';
const grown = (toSeq: number, ...bodies: string[]) => ({ ...run, toSeq, bodies });

describe('RecentEvents', () => {
  it('joins what follows without a gap and gives it back with its seqs', () => {
    const recent = new RecentEvents();
    recent.add(grown(2, 'a', 'b'));
    recent.identify(run, NOON, [{ seq: 1, body: 'a' }]);
    recent.add(grown(3, 'c'));
    expect(recent.read(run, NOON, 2, 10)).toEqual([
      { seq: 2, body: 'b' },
      { seq: 3, body: 'c' },
    ]);
    expect(recent.read(run, NOON, 1, 1)).toEqual([{ seq: 1, body: 'a' }]);
  });

  it('knows nothing before a gap, beyond the end, or of a removed run', () => {
    const recent = new RecentEvents();
    recent.add(grown(2, 'a', 'b'));
    recent.add(grown(5, 'e'));
    recent.identify(run, NOON, [{ seq: 5, body: 'e' }]);
    expect(recent.read(run, NOON, 2, 10)).toBeUndefined();
    expect(recent.read(run, NOON, 5, 10)).toEqual([{ seq: 5, body: 'e' }]);
    expect(recent.read(run, NOON, 6, 10)).toBeUndefined();
    recent.remove(run);
    expect(recent.read(run, NOON, 5, 10)).toBeUndefined();
  });

  it('forgets the logs that grew longest ago when it is full', () => {
    const recent = new RecentEvents();
    const big = 'x'.repeat(6 * 1024 * 1024);
    for (const id of ['a', 'b', 'c'])
      recent.add({ tenantId: run.tenantId, runId: id as RunId, toSeq: 1, bodies: [big] });
    for (const id of ['a', 'b', 'c']) recent.identify({ ...run, runId: id as RunId }, NOON, [{ seq: 1, body: big }]);
    expect(recent.read({ ...run, runId: 'a' as RunId }, NOON, 1, 1)).toBeUndefined();
    expect(recent.read({ ...run, runId: 'c' as RunId }, NOON, 1, 1)).toHaveLength(1);
  });

  describe('when somebody gave the id of a removed run to another one', () => {
    it('gives nothing of a run that is not known to be the one that is meant', () => {
      const recent = new RecentEvents();
      recent.add(grown(2, 'a', 'b'));
      expect(recent.read(run, NOON, 1, 1)).toBeUndefined();
      recent.identify(run, NOON, [{ seq: 1, body: 'a' }]);
      expect(recent.read(run, NOON, 1, 1)).toEqual([{ seq: 1, body: 'a' }]);
      expect(recent.read(run, ONE, 1, 1)).toBeUndefined();
    });

    it('learns which one it has from the row with which it begins, wherever that is among those that were read', () => {
      const recent = new RecentEvents();
      recent.add(grown(4, 'c', 'd'));
      recent.identify(run, NOON, [{ seq: 4, body: 'd' }]);
      expect(recent.read(run, NOON, 4, 1)).toBeUndefined();
      recent.identify(run, NOON, [
        { seq: 2, body: 'b' },
        { seq: 3, body: 'c' },
      ]);
      expect(recent.read(run, NOON, 4, 1)).toEqual([{ seq: 4, body: 'd' }]);
    });

    it('forgets the earlier one, whatever was appended behind it', () => {
      const recent = new RecentEvents();
      recent.add(grown(2, 'a', 'b'));
      recent.identify(run, NOON, [{ seq: 1, body: 'a' }]);
      recent.add(grown(3, 'new c'));
      recent.identify(run, ONE, [
        { seq: 1, body: 'new a' },
        { seq: 2, body: 'new b' },
        { seq: 3, body: 'new c' },
      ]);
      expect(recent.read(run, NOON, 1, 1)).toBeUndefined();
      expect(recent.read(run, ONE, 3, 1)).toBeUndefined();
    });
  });
});
