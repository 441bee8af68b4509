import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../scenario.js';
import { underLoad } from '../under-load.js';

/** Longer than a lease of 10 s and the claim that follows it. */
const FROZEN_MS = 14_000;
const MAX_FREEZES = 40;
/** Few enough that the others have slots for what these lose. */
const AT_ONCE = 2;

export const zombies: Scenario = {
  name: 'zombies',
  claim:
    'A worker that is frozen past its lease, while another one goes on with its runs, changes nothing when it thaws.',
  run: (trial) =>
    underLoad(trial, {
      site: { workers: 3 * AT_ONCE, slots: 2 },
      resumedWithinMs: 15_000,
      async attack({ site, dice, losses, chaosMs }) {
        let freezes = 0;
        let claimed = 0;
        for (const until = performance.now() + chaosMs; freezes < MAX_FREEZES && performance.now() < until;) {
          await sleep(dice.between(500, 2_000));
          const frozen = await losses.busiest(site.workers, AT_ONCE);
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
};
