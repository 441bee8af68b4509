import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PatientRuns } from '../patient-runs.js';
import { PersistentClient } from '../persistent-client.js';
import { processTree, signalAll } from '../process-tree.js';
import type { Scenario } from '../scenario.js';
import type { Site } from '../site.js';
import { underLoad } from '../under-load.js';

/** Longer than any lease, and than the time after which commands end without their worker. */
const ASLEEP_MS = 25_000;

export const sleepingLaptop: Scenario = {
  name: 'sleeping-laptop',
  claim: 'The whole machine sleeps for 25 s, PostgreSQL, Redis and commands too, or only the workers do: all goes on.',
  run: (trial) =>
    underLoad(
      { ...trial, chaosMs: Math.max(trial.chaosMs, ASLEEP_MS * 3) },
      {
        standstillMs: ASLEEP_MS + 30_000,
        async attack(attack) {
          const { site, dice, history, chaosMs } = attack;
          const client = new PersistentClient(site.urls, site.token, site.directory, history);
          const patient = new PatientRuns(attack, client);
          const beginning = patient.begin(chaosMs, 2_000, ['nothing', 'answer']);
          let sleeps = 0;
          for (const until = performance.now() + chaosMs; performance.now() < until; sleeps++) {
            await sleep(dice.between(4_000, 10_000));
            await asleep(site, sleeps % 2 === 0 ? await everything(site) : []);
          }
          await beginning;
          return { sleeps, patient: await patient.done() };
        },
      },
    ),
};

/** The members stop as members do, so that everybody knows that they were harmed. */
async function asleep(site: Site, others: readonly number[]): Promise<void> {
  const members = others.length > 0 ? site.members : site.workers;
  for (const member of members) member.freeze();
  signalAll(others, 'SIGSTOP');
  await sleep(ASLEEP_MS);
  signalAll(others, 'SIGCONT');
  for (const member of members) member.thaw();
}

/** The stores, and the commands with those that run them. */
async function everything(site: Site): Promise<number[]> {
  const { postgres, redis } = site.stores;
  const postmaster = await readFile(join(postgres.dataDirectory, 'postmaster.pid'), 'utf8');
  const roots = [Number(postmaster.split('\n')[0]), ...(await site.runners()), ...(redis?.pid ? [redis.pid] : [])];
  return processTree(roots);
}
