import { setTimeout as sleep } from 'node:timers/promises';
import type { Failpoint } from '../../../apps/worker/src/index.js';
import type { Member } from '../member.js';
import type { Scenario } from '../scenario.js';
import { underLoad, type Attack } from '../under-load.js';

const POINTS: readonly Failpoint[] = [
  'run_claimed',
  'stage_start_appended',
  'before_execute',
  'executing',
  'after_execute',
  'values_kept',
  'outcome_appended',
  'before_release',
];

export const failpoints: Scenario = {
  name: 'failpoints',
  claim: 'A worker may die at each of the eight moments of a stage, again and again, and every stage has one outcome.',
  run: (trial) => {
    const passes = POINTS.map(() => trial.dice.between(2, 8));
    return underLoad(trial, {
      site: {
        workers: POINTS.length + 1,
        slots: 2,
        dyingAt: (place) =>
          place < POINTS.length ? { point: POINTS[place]!, after: passes[place]!, signal: 'SIGKILL' } : undefined,
      },
      async attack(attack) {
        const deaths = await Promise.all(POINTS.map((_, place) => deathsOf(attack.site.workers[place]!, attack)));
        return Object.fromEntries(POINTS.map((point, place) => [point, deaths[place]!]));
      },
    });
  },
};

/** Starts a worker each time it has died. Returns how often. */
async function deathsOf(worker: Member, { chaosMs }: Attack): Promise<number> {
  let deaths = 0;
  for (const until = performance.now() + chaosMs; performance.now() < until; await sleep(200)) {
    if (worker.pid !== undefined) continue;
    deaths++;
    await worker.start();
  }
  return deaths;
}
