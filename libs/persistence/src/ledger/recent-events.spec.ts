import { describe, expect, it } from '@jest/globals';
import type { RunId, TenantId } from '#libs/kernel';
import { RecentEvents } from './recent-events.js';

const run = { tenantId: 't' as TenantId, runId: 'r' as RunId };
const grown = (toSeq: number, ...bodies: string[]) => ({ ...run, toSeq, bodies });

describe('RecentEvents', () => {
  it('joins what follows without a gap and gives it back with its seqs', () => {
    const recent = new RecentEvents();
    recent.add(grown(2, 'a', 'b'));
    recent.add(grown(3, 'c'));
    expect(recent.read(run, 2, 10)).toEqual([
      { seq: 2, body: 'b' },
      { seq: 3, body: 'c' },
    ]);
    expect(recent.read(run, 1, 1)).toEqual([{ seq: 1, body: 'a' }]);
  });

  it('knows nothing before a gap, beyond the end, or of a removed run', () => {
    const recent = new RecentEvents();
    recent.add(grown(2, 'a', 'b'));
    recent.add(grown(5, 'e'));
    expect(recent.read(run, 2, 10)).toBeUndefined();
    expect(recent.read(run, 5, 10)).toEqual([{ seq: 5, body: 'e' }]);
    expect(recent.read(run, 6, 10)).toBeUndefined();
    recent.remove(run);
    expect(recent.read(run, 5, 10)).toBeUndefined();
  });

  it('forgets the logs that grew longest ago when it is full', () => {
    const recent = new RecentEvents();
    const big = 'x'.repeat(6 * 1024 * 1024);
    for (const id of ['a', 'b', 'c'])
      recent.add({ tenantId: run.tenantId, runId: id as RunId, toSeq: 1, bodies: [big] });
    expect(recent.read({ ...run, runId: 'a' as RunId }, 1, 1)).toBeUndefined();
    expect(recent.read({ ...run, runId: 'c' as RunId }, 1, 1)).toHaveLength(1);
  });
});
