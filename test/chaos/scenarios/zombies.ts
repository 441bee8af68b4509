import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../scenario.js';
import { underLoad } from '../under-load.js';

/** Longer than a lease of 10 s and the claim that follows it. */
const FROZEN_MS = 14_000;
const MAX_FREEZES = 40;
const SITE = { workers: 6, slots: 2 };

interface Freezing {
  name: string;
  claim: string;
  /** How many workers are frozen together. */
  atOnce: number;
  resumedWithinMs: number;
}

const freezing = ({ name, claim, atOnce, resumedWithinMs }: Freezing): Scenario => ({
  name,
  claim,
  run: (trial) =>
    underLoad(trial, {
      site: SITE,
      resumedWithinMs,
      async attack({ site, dice, losses, chaosMs }) {
        let freezes = 0;
        let claimed = 0;
        for (const until = performance.now() + chaosMs; freezes < MAX_FREEZES && performance.now() < until;) {
          await sleep(dice.between(500, 2_000));
          const frozen = await losses.busiest(site.workers, atOnce);
          const held = (await Promise.all(frozen.map((worker) => losses.freeze(worker)))).flat();
          await sleep(FROZEN_MS);
          claimed += await losses.claimedSince(held);
          for (const worker of frozen) worker.thaw();
          freezes += frozen.length;
        }
        const given = site.workers.map(({ output }) => output.match(/"end":"lost"/g)?.length ?? 0);
        return { freezes, 'claimed while frozen': claimed, 'given up': given.reduce((sum, count) => sum + count, 0) };
      },
    }),
});

export const zombies = freezing({
  name: 'zombies',
  claim:
    'A worker that is frozen past its lease, while another one goes on with its runs, changes nothing when it thaws.',
  atOnce: 2,
  resumedWithinMs: 15_000,
});

/** The others have fewer slots than runs are lost, so that some wait until one of those at work is done. */
export const mostWorkersFrozen = freezing({
  name: 'most-workers-frozen',
  claim: 'Four of six workers freeze at once, and what they lose goes before everything else, within 20 s.',
  atOnce: 4,
  resumedWithinMs: 20_000,
});
