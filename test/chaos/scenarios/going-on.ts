import { newUlid } from '#libs/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, workflow } from '../../support/api-caller.js';
import type { Dice } from '../dice.js';
import { PersistentClient } from '../persistent-client.js';
import type { Scenario } from '../scenario.js';
import { underLoad, type Attack } from '../under-load.js';

const BEGIN_EVERY_MS = 700;
const LOOK_EVERY_MS = 30;
/** How often a run fails before it succeeds. */
const MOST_FAILURES = 4;
const THROUGH_MS = 180_000;

export const goingOn: Scenario = {
  name: 'going-on',
  claim: 'People go on with runs at the moment they fail, in any way, while workers are killed: all get through.',
  run: (trial) =>
    underLoad(trial, {
      async attack(attack) {
        const { dice, losses, site, chaosMs } = attack;
        const stubborn = new StubbornPeople(attack);
        const begun = stubborn.begin(chaosMs);
        let kills = 0;
        for (const until = performance.now() + chaosMs; performance.now() < until; kills++) {
          await sleep(dice.between(3_000, 8_000));
          const worker = dice.oneOf(site.workers);
          await losses.kill(worker);
          await sleep(dice.between(0, 1_000));
          await worker.start();
        }
        await begun;
        await site.heal();
        return { kills, ...(await stubborn.done()) };
      },
    }),
};

/** People who begin runs that fail a few times, and do not give up on them. */
class StubbornPeople {
  private readonly all: Promise<void>[] = [];
  private readonly client: PersistentClient;
  private failures = 0;

  constructor(private readonly attack: Attack) {
    const { site, history } = attack;
    this.client = new PersistentClient(site.urls, site.token, site.directory, history);
  }

  async begin(forMs: number): Promise<void> {
    for (const until = performance.now() + forMs; performance.now() < until; await sleep(BEGIN_EVERY_MS)) {
      this.all.push(this.live(this.attack.dice.fork()));
    }
  }

  async done(): Promise<{ stubborn: number; failures: number }> {
    await Promise.all(this.all);
    return { stubborn: this.all.length, failures: this.failures };
  }

  private async live(dice: Dice): Promise<void> {
    let runId: string | undefined = newUlid(Date.now());
    if ((await this.client.create(runId, this.failing(dice))) !== 'acknowledged') return;
    await this.client.start(runId);
    for (const until = performance.now() + THROUGH_MS; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
      const kind = (await this.client.status(runId))?.kind;
      if (kind === 'succeeded') return void this.attack.successes.add(runId);
      if (kind !== 'failed') continue;
      this.failures += 1;
      const from: string = runId;
      runId = await this.goOn(from, dice);
      if (runId === undefined) return void this.attack.faults.push(`${from}: nobody could go on with it`);
    }
    this.attack.faults.push(`${runId}: it did not get through`);
  }

  /** The run that goes on. */
  private async goOn(runId: string, dice: Dice): Promise<string | undefined> {
    const way = dice.oneOf(['resume', 'resume', 'fork', 'rewind', 'retry'] as const);
    if (way === 'resume') return (await this.client.resume(runId)) ? runId : undefined;
    const made = await this.client.another(runId, way);
    // A retry is queued by itself.
    if (made !== undefined && way !== 'retry') await this.client.start(made);
    return made;
  }

  /** start -> work -> attempt, where it ends either way; failures are counted outside the sandbox, over all runs of a line. */
  private failing(dice: Dice): string {
    const { directory, effects } = this.attack.site;
    const tries = `${directory}/tries-${newUlid(Date.now())}`;
    const attempt = `echo x >> ${tries}; [ $(wc -l < ${tries}) -gt ${dice.between(1, MOST_FAILURES)} ]`;
    return workflow(`${command('work', effects.script(dice.between(1, 8) / 10))} ${command('attempt', attempt)}
      start -> work -> attempt
      work -> exit [condition="context.never"]`);
  }
}
