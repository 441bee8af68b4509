import { newUlid } from '#libs/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, workflow } from '../../support/api-caller.js';
import { PersistentClient } from '../persistent-client.js';
import type { Scenario } from '../scenario.js';
import type { Site } from '../site.js';
import { underLoad, type Attack } from '../under-load.js';

const AWAY_MS = 75_000;
/** Until the runs that wait for the store have tried again, each at its time. */
const BACK_MS = 25_000;
/** Until every run that keeps a value has parked. */
const PARKED_MS = 12_000;
const KEEPING = 8;
const EVERY_MS = 2_000;

export const objectStoreAway: Scenario = {
  name: 'object-store-away',
  claim:
    'The object store is gone for 75 s: runs that need a kept value wait for it and succeed, others do not notice.',
  run: (trial) =>
    underLoad(
      { ...trial, chaosMs: Math.max(trial.chaosMs, PARKED_MS + AWAY_MS * 1.3), runs: 0 },
      {
        site: { bucket: true },
        standstillMs: AWAY_MS + 30_000,
        async attack(attack) {
          const { site, dice, chaosMs } = attack;
          const { proxy } = site.stores.bucket!;
          const begin = beginning(attack);
          const until = performance.now() + chaosMs;
          let outages = 0;
          for (; performance.now() + PARKED_MS + AWAY_MS < until || outages === 0; outages++) {
            await Promise.all(Array.from({ length: KEEPING }, () => begin(keeping(dice.between(20, 60)))));
            await sleep(PARKED_MS);
            if (outages % 2 === 0) proxy.refuse();
            else proxy.hang();
            for (const back = performance.now() + AWAY_MS; performance.now() < back; await sleep(EVERY_MS)) {
              await begin(plain(site));
            }
            proxy.heal();
            await sleep(BACK_MS);
          }
          return { outages, 'away s': (outages * AWAY_MS) / 1_000, runs: attack.successes.size };
        },
      },
    ),
};

/** Begins runs that must succeed. */
function beginning({ site, history, successes }: Attack): (source: string) => Promise<void> {
  const client = new PersistentClient(site.urls, site.token, site.directory, history);
  return async (source) => {
    const runId = newUlid(Date.now());
    if ((await client.create(runId, source)) !== 'acknowledged') return;
    await client.start(runId);
    successes.add(runId);
  };
}

/** start -> make -> rest -> look -> right | wrong -> exit, where what `look` reads is too large for an event */
function keeping(restS: number): string {
  const script = `python3 -c 'import json; print(json.dumps({"context_updates": {"big": "x" * 300000 + " needle"}}))'`;
  return workflow(`${command('make', script, ', output_schema=routing')} look [shape=diamond]
    rest [shape=insulator, duration="${restS}s"] ${command('right', 'true')} ${command('wrong', 'false')}
    start -> make -> rest -> look
    look -> right [condition="big contains needle"] look -> wrong
    right -> exit wrong -> exit`);
}

function plain({ effects }: Site): string {
  return workflow(`${command('work', effects.script(0.5))} start -> work -> exit`);
}
