import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Report, Scenario, Trial } from '../scenario.js';
import { underLoad, type Attack } from '../under-load.js';

/** How much longer a run may wait for its worker when nobody rings. */
const UNCLAIMED_MS = 5_000;

/** Redis holds no fact: whatever happens to it, no request is answered with a fault of the server, and runs start. */
async function unimpressed(trial: Trial, attack: (attack: Attack) => Promise<Report['figures']>): Promise<Report> {
  const report = await underLoad(trial, { attack });
  const { '5xx': serverFaults, 'unclaimed ms (worst)': unclaimedMs } = report.figures;
  return {
    ...report,
    faults: [
      ...report.faults,
      ...(serverFaults === 0 ? [] : [`${serverFaults} requests were answered with 5xx`]),
      ...(Number(unclaimedMs) > UNCLAIMED_MS ? [`a run had a slot and no worker for ${unclaimedMs} ms`] : []),
    ],
  };
}

export const redisFlush: Scenario = {
  name: 'redis-flush',
  claim: 'Redis may forget everything at any time, and every connection to it may be closed.',
  run: (trial) =>
    unimpressed(trial, async ({ site, dice, chaosMs }) => {
      const redis = new Redis(site.stores.redis!.url);
      let flushes = 0;
      for (const until = performance.now() + chaosMs; performance.now() < until; flushes++) {
        await sleep(dice.between(1_000, 4_000));
        await redis.flushall();
        if (dice.next() < 0.5) await redis.call('CLIENT', 'KILL', 'SKIPME', 'yes');
      }
      await redis.quit();
      return { flushes };
    }),
};

const away = (seconds: number): Scenario => ({
  name: `redis-away-${seconds}s`,
  claim: `Redis is gone for ${seconds} s: no 5xx, nothing is lost, starts come at most 5 s later.`,
  run: (trial) =>
    unimpressed({ ...trial, chaosMs: Math.max(trial.chaosMs, seconds * 1_500) }, async ({ site }) => {
      await sleep(3_000);
      await site.stores.redis!.kill();
      await sleep(seconds * 1_000);
      await site.stores.redis!.start();
      return { 'away s': seconds };
    }),
});

export const redisAway = [away(20), away(120)];

export const redisHangs: Scenario = {
  name: 'redis-hangs',
  claim: 'Redis keeps its connections and answers nobody for 30 s.',
  run: (trial) =>
    unimpressed({ ...trial, chaosMs: Math.max(trial.chaosMs, 45_000) }, async ({ site }) => {
      await sleep(3_000);
      site.stores.redis!.freeze();
      await sleep(30_000);
      site.stores.redis!.thaw();
      return { 'hung s': 30 };
    }),
};
