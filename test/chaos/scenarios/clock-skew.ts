import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Losses } from '../losses.js';
import type { Member } from '../member.js';
import { PatientRuns } from '../patient-runs.js';
import { PersistentClient } from '../persistent-client.js';
import type { Scenario } from '../scenario.js';
import { underLoad } from '../under-load.js';

const LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu'].map((folder) =>
  join(folder, 'faketime/libfaketimeMT.so.1'),
);

/** Longer than a lease of 10 s and the claim that follows it. */
const SUSPENDED_MS = 14_000;

export const clockSkew: Scenario = {
  name: 'clock-skew',
  claim:
    'Clocks of processes are 90 s early or late, and jump, and workers freeze: leases, order, waits and time limits do not notice.',
  async run(trial) {
    const library = LIBRARIES.find((file) => existsSync(file));
    if (!library) return { faults: [], figures: {}, voided: 'libfaketime is not installed (Debian: faketime)' };
    const file = (member: string, place: number): string =>
      join(tmpdir(), `runyard-clock-${process.pid}-${member}-${place}`);
    const skew = (member: string, place: number, seconds: number): Promise<void> =>
      writeFile(file(member, place), `${seconds < 0 ? '' : '+'}${seconds}`);
    await Promise.all([
      skew('api', 0, 90),
      skew('api', 1, 0),
      skew('worker', 0, -90),
      skew('worker', 1, 90),
      skew('worker', 2, 0),
    ]);
    return underLoad(trial, {
      site: {
        surroundings: (member, place) => ({
          LD_PRELOAD: library,
          FAKETIME_TIMESTAMP_FILE: file(member, place),
          FAKETIME_CACHE_DURATION: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
          DONT_FAKE_MONOTONIC: '1',
        }),
      },
      async attack(attack) {
        const { site, dice, losses, history, chaosMs } = attack;
        const client = new PersistentClient(site.urls, site.token, site.directory, history);
        const patient = new PatientRuns(attack, client);
        const beginning = patient.begin(chaosMs, 1_500, ['nothing', 'nothing', 'answer', 'pause']);
        let jumps = 0;
        for (const until = performance.now() + chaosMs; performance.now() < until; jumps++) {
          await sleep(dice.between(2_000, 6_000));
          await skew('worker', dice.between(0, 2), dice.oneOf([-90, 0, 90]));
          await skew('api', dice.between(0, 1), dice.oneOf([-90, 0, 90]));
          if (jumps % 4 === 1) await suspend(losses, dice.oneOf(site.workers));
          if (jumps % 4 !== 3) continue;
          const worker = dice.oneOf(site.workers);
          await losses.kill(worker);
          await worker.start();
        }
        await beginning;
        return { jumps, patient: await patient.done() };
      },
      resumedWithinMs: 15_000,
    });
  },
};

/** A worker stands still for longer than its lease, and its commands go on for as long as they may. */
async function suspend(losses: Losses, worker: Member): Promise<void> {
  await losses.freeze(worker);
  await sleep(SUSPENDED_MS);
  worker.thaw();
}
