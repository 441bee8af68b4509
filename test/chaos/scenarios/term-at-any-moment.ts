import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../dice.js';
import type { Member } from '../member.js';
import { PatientRuns } from '../patient-runs.js';
import { PersistentClient } from '../persistent-client.js';
import type { Scenario } from '../scenario.js';
import type { Site } from '../site.js';
import { underLoad, type Attack } from '../under-load.js';

const BEGIN_EVERY_MS = 600;

export const termAtAnyMoment: Scenario = {
  name: 'term-at-any-moment',
  claim:
    'Each process may be asked to end at any moment, with pauses, cancels and gates open: it does, within its grace.',
  run: (trial) =>
    underLoad(trial, {
      async attack(attack) {
        const { site, dice, losses, history, chaosMs } = attack;
        const client = new PersistentClient(site.urls, site.token, site.directory, history);
        const patient = new PatientRuns(attack, client);
        const beginning = patient.begin(chaosMs, BEGIN_EVERY_MS, ['nothing', 'pause', 'pause', 'cancel', 'answer']);
        const unpausing = new Unpausing(site, client);
        let ended = 0;
        const choices = [
          async (own: Dice) => own.oneOf(site.apis),
          async (own: Dice) =>
            own.next() < 0.3 ? own.oneOf(site.workers) : (await losses.busiest(site.workers, 1))[0]!,
        ];
        const turns = choices.map(async (choose) => {
          const own = dice.fork();
          for (const until = performance.now() + chaosMs; performance.now() < until; ended++) {
            await sleep(own.between(1_000, 4_000));
            await endAndStart(attack, client, await choose(own), own);
          }
        });
        await Promise.all([beginning, ...turns]);
        await site.heal();
        const runs = await patient.done();
        await unpausing.done();
        return { ended, patient: runs };
      },
    }),
};

/** A worker is asked while pauses of what it holds are on their way. */
async function endAndStart({ site }: Attack, client: PersistentClient, member: Member, dice: Dice): Promise<void> {
  const held = await site.stores.sql<{ runId: string }>(
    `SELECT run_id AS "runId" FROM run_heads WHERE slot = 'held' AND lease_owner LIKE $1 ORDER BY run_id`,
    [`%-${member.pid}-%`],
  );
  const pausing = held.filter(() => dice.next() < 0.8);
  await Promise.all(pausing.map(({ runId }) => client.once(`/api/v1/runs/${runId}/pause`)));
  await sleep(dice.between(0, 500));
  await member.stop();
  await member.start();
}

/** Lets go on whatever has been paused for a while. */
class Unpausing {
  private isOver = false;
  private readonly working: Promise<void>;

  constructor(
    private readonly site: Site,
    private readonly client: PersistentClient,
  ) {
    this.working = this.work();
  }

  /** Resolves when nothing is paused any more, or is about to be. */
  async done(): Promise<void> {
    this.isOver = true;
    await this.working;
  }

  private async work(): Promise<void> {
    for (let left = Infinity; !this.isOver || left > 0; await sleep(500)) {
      const runs = await this.site.stores.sql<{ runId: string; isPaused: boolean }>(
        `SELECT run_id AS "runId", status = 'paused' AS "isPaused" FROM run_heads
          WHERE status = 'paused' AND last_event_at < now() - interval '2 s' OR pending_control = 'pause'`,
      );
      left = runs.length;
      const paused = runs.filter(({ isPaused }) => isPaused);
      await Promise.all(paused.map(({ runId }) => this.client.once(`/api/v1/runs/${runId}/unpause`)));
    }
  }
}
