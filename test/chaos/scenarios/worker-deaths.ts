import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../scenario.js';
import { underLoad } from '../under-load.js';

/** The contract: from the death of a worker to the next event of its runs. */
const RESUMED_WITHIN_MS = 15_000;

export const workerKills: Scenario = {
  name: 'worker-kills',
  claim: 'Killing a worker every two to six seconds loses nothing, and its runs go on within 15 s.',
  run: (trial) =>
    underLoad(trial, {
      resumedWithinMs: RESUMED_WITHIN_MS,
      async attack({ site, dice, losses, chaosMs }) {
        let kills = 0;
        for (const until = performance.now() + chaosMs; performance.now() < until; kills++) {
          await sleep(dice.between(2_000, 6_000));
          const worker = dice.oneOf(site.workers);
          await losses.kill(worker);
          await sleep(dice.between(0, 1_000));
          await worker.start();
        }
        return { kills };
      },
    }),
};

export const allWorkersGone: Scenario = {
  name: 'all-workers-gone',
  claim: 'While every worker is dead nothing is lost and requests are served; afterwards everything goes on.',
  run: (trial) =>
    underLoad(trial, {
      standstillMs: 90_000,
      async attack({ site, losses, chaosMs }) {
        await sleep(chaosMs / 4);
        await Promise.all(site.workers.map((worker) => losses.kill(worker)));
        const goneMs = Math.min(60_000, chaosMs);
        await sleep(goneMs);
        return { 'gone s': goneMs / 1_000 };
      },
    }),
};
