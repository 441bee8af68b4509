import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../scenario.js';
import type { Site } from '../site.js';
import { underLoad } from '../under-load.js';

/** Longer than a pool keeps a connection that nobody uses. */
const IDLE_MS = 40_000;
const LOOK_EVERY_MS = 1_000;
/** After this a worker that lives is registered again. */
const RETURN_MS = 30_000;

export const natForgets: Scenario = {
  name: 'nat-forgets',
  claim:
    'Something on the way to PostgreSQL and Redis forgets sessions that are idle for 40 s: workers that live stay known.',
  run: (trial) =>
    underLoad(
      { ...trial, chaosMs: Math.max(trial.chaosMs, IDLE_MS * 3) },
      {
        site: { proxied: true },
        async attack({ site, faults, chaosMs }) {
          const { postgres, redis } = site.stores.proxies!;
          let forgotten = 0;
          let missing = 0;
          for (const until = performance.now() + chaosMs; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
            forgotten += postgres.forgetIdle(IDLE_MS) + (redis?.forgetIdle(IDLE_MS) ?? 0);
            if ((await registered(site)) < site.workers.length) missing += LOOK_EVERY_MS;
          }
          for (const until = performance.now() + RETURN_MS; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
            if ((await registered(site)) === site.workers.length) break;
          }
          const now = await registered(site);
          if (now < site.workers.length)
            faults.push(`${now} of ${site.workers.length} workers that live are registered`);
          return { forgotten, 'a worker missing s': missing / 1_000 };
        },
      },
    ),
};

async function registered({ stores }: Site): Promise<number> {
  const [row] = await stores.sql<{ count: number }>('SELECT count(*)::int AS count FROM workers');
  return row!.count;
}
