import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunId, TenantId } from '#libs/kernel';
import { explore } from '../model/explore.js';
import { keyOf, type Board, type Head } from '../model/heads.js';
import { claimFaults, holdFaults, roundFaults, Shares, stepFaults } from '../model/judgement.js';
import { Site } from '../model/site.js';

/** The long form: `npm run model-check`. */
const INTERLEAVINGS = 200;

describe('The scheduler and its leases', () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.open();
  });
  afterAll(() => site.close());

  it('starve nobody, forget nobody and give nothing out twice, in whatever order processes act', async () => {
    for (let seed = 1; seed <= INTERLEAVINGS; seed++) {
      expect({ seed, faults: await explore(site, seed) }).toEqual({ seed, faults: [] });
    }
  });
});

describe('The judgement of the model check', () => {
  const head = (name: string, slot: Head['slot'], more: Partial<Head> = {}): Head => {
    const [tenantId, runId] = name.split('/') as [TenantId, RunId];
    const free = {
      isFree: more.isLeased !== true,
      isLeased: false,
      isDue: false,
      runnableSeq: 1,
      epochsWithoutProgress: 0,
      epoch: 0,
    };
    return { tenantId, runId, slot, status: 'running', ...free, ...more };
  };
  const board = (limit: number, ...heads: Head[]): Board => ({
    heads: new Map(heads.map((one) => [keyOf(one), one])),
    limit,
    tenantLimits: new Map([['small', 1]]),
  });
  const nobody = board(1);

  it('sees more runs held than a limit allows, and nothing wrong with a limit that was lowered', () => {
    const two = [head('a/1', 'held'), head('a/2', 'held')];
    expect([...stepFaults(board(2, ...two), board(1, ...two), true)]).toEqual([]);
    expect([...stepFaults(nobody, board(1, ...two), false)]).toEqual(['2 runs hold a slot under a limit of 1']);
    const small = [head('small/1', 'held'), head('small/2', 'held')];
    expect([...stepFaults(nobody, board(9, ...small), false)]).toEqual(['small holds 2 slots under a limit of 1']);
  });

  it('sees a slot that went to a tenant with more of them', () => {
    const before = board(3, head('a/1', 'held'), head('a/2', 'queued'), head('b/1', 'queued'));
    const unfair = board(3, head('a/1', 'held'), head('a/2', 'held'), head('b/1', 'queued'));
    const fair = board(3, head('a/1', 'held'), head('a/2', 'queued'), head('b/1', 'held'));
    expect([...stepFaults(before, unfair, true)]).toEqual(['2 of a got a slot, and b holds fewer']);
    expect([...stepFaults(before, fair, true)]).toEqual([]);
  });

  it('sees a run that overtook another one of its tenant', () => {
    const queued = [head('a/1', 'queued'), head('a/2', 'queued', { runnableSeq: 2 })] as const;
    const after = board(1, queued[0], head('a/2', 'held', { runnableSeq: 2 }));
    expect([...stepFaults(board(1, ...queued), after, true)]).toEqual(['2 overtook 1']);
  });

  it('sees a round that left a slot free, or somebody parked whose moment had come', () => {
    expect([...roundFaults(board(2, head('a/1', 'held'), head('a/2', 'queued')))]).toHaveLength(1);
    expect([...roundFaults(board(2, head('small/1', 'held'), head('small/2', 'queued')))]).toEqual([]);
    expect([...roundFaults(board(2, head('a/1', 'parked', { isDue: true })))]).toEqual(['1 is due, and parked']);
    expect([...roundFaults(board(2, head('a/1', 'parked', { isDue: true, status: 'paused' })))]).toEqual([]);
  });

  it('sees a run that was given to two', () => {
    const held = board(1, head('a/1', 'held', { isLeased: true }));
    expect([...holdFaults(held, ['a 1'], true)]).toEqual(['a 1 was claimed while somebody held it']);
    expect([...holdFaults(nobody, ['a 1', 'a 1'], false)]).toEqual(['a 1 was claimed twice at once']);
    expect([...holdFaults(board(1, head('a/1', 'held')), ['a 1'], true)]).toEqual([]);
  });

  it('sees a claim that had room for a run, or took it out of turn', () => {
    const waits = [head('a/1', 'held'), head('b/1', 'held')];
    const after = board(2, waits[0]!, head('b/1', 'held', { isLeased: true, epoch: 1 }));
    const since = (first: number, wasClaimed = false) =>
      new Map([
        ['a 1', { step: first, wasClaimed }],
        ['b 1', { step: 5, wasClaimed: false }],
      ]);
    const claim = (limit: number, sinces: ReturnType<typeof since>) => [
      ...claimFaults(board(2, ...waits), after, { limit, runs: ['b 1'], since: sinces }),
    ];
    expect(claim(1, since(6))).toEqual([]);
    expect(claim(2, since(6))).toEqual(['a claim with room for 2 left 1']);
    expect(claim(1, since(4))).toEqual(['b 1 was claimed before 1, which waited for longer']);
    expect(claim(1, since(6, true))).toEqual(['b 1 was claimed before 1, which had lost its worker']);
  });

  it('sees a tenant that waits while another one is served again and again', () => {
    const shares = new Shares();
    const served = (run: number) => [
      ...shares.after(
        board(1, head('a/1', 'queued'), head(`b/${run}`, 'queued')),
        board(1, head('a/1', 'queued'), head(`b/${run}`, 'held')),
      ),
    ];
    expect([served(1), served(2)]).toEqual([[], []]);
    expect(served(3)).toEqual(['a waits, and b, which holds as many slots, got 3 more']);
  });
});
