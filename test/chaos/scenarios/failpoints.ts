import { setTimeout as sleep } from 'node:timers/promises';
import type { Failpoint } from '../../../apps/worker/src/index.js';
import type { Member } from '../member.js';
import type { Scenario } from '../scenario.js';
import { underLoad } from '../under-load.js';

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

/** Workers that die, and those that live on: a run that loses four in a row without an outcome would be given up. */
const DYING = 3;
const LIVING = 2;

export const failpoints: Scenario = {
  name: 'failpoints',
  claim: 'A worker may die at each of the eight moments of a stage, again and again, and every stage has one outcome.',
  run(trial) {
    const points = POINTS.map((point) => ({ point, after: trial.dice.between(4, 12), signal: 'SIGKILL' as const }));
    const given: Failpoint[] = [];
    const deaths: Record<string, number> = {};
    let turn = 0;
    let isOver = false;
    return underLoad(trial, {
      site: {
        workers: DYING + LIVING,
        dyingAt(place) {
          if (place >= DYING || isOver) return undefined;
          const at = points[turn++ % points.length]!;
          given[place] = at.point;
          return at;
        },
      },
      async attack({ site, chaosMs }) {
        const dying = site.workers.slice(0, DYING);
        const until = performance.now() + chaosMs;
        await Promise.all(
          dying.map((worker, place) =>
            reviving(worker, until, () => (deaths[given[place]!] = (deaths[given[place]!] ?? 0) + 1)),
          ),
        );
        isOver = true;
        await Promise.all(dying.map((worker) => worker.kill()));
        return deaths;
      },
    });
  },
};

/** Starts a worker each time it has died, which it may do before it is ready. */
async function reviving(worker: Member, until: number, died: () => void): Promise<void> {
  for (; performance.now() < until; await sleep(200)) {
    if (worker.pid !== undefined) continue;
    died();
    await worker.start().catch(() => undefined);
  }
}
