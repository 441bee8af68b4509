import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../scenario.js';
import { underLoad } from '../under-load.js';

export const network: Scenario = {
  name: 'network',
  claim: 'The way to PostgreSQL and to Redis is cut, slow, closed, or swallows everything for up to 12 s.',
  run: (trial) =>
    underLoad(trial, {
      livingMayRepeat: true,
      site: { proxied: true },
      async attack({ site, dice, chaosMs }) {
        const { postgres, redis } = site.stores.proxies!;
        const done = { cuts: 0, delays: 0, closed: 0, hangs: 0 };
        for (const until = performance.now() + chaosMs; performance.now() < until;) {
          await sleep(dice.between(1_000, 4_000));
          const proxy = dice.next() < 0.7 ? postgres : redis!;
          const what = dice.oneOf(['cuts', 'delays', 'closed', 'hangs'] as const);
          done[what]++;
          if (what === 'cuts') proxy.cut();
          else if (what === 'delays') proxy.delay(dice.between(50, 500));
          else if (what === 'closed') proxy.refuse();
          else proxy.hang();
          await sleep(dice.between(1_000, what === 'hangs' ? 12_000 : 4_000));
          proxy.heal();
        }
        return done;
      },
    }),
};
