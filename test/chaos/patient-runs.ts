import { newUlid } from '#libs/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { workflow } from '../support/api-caller.js';
import type { Dice } from './dice.js';
import type { PersistentClient } from './persistent-client.js';
import type { Site } from './site.js';
import type { Attack } from './under-load.js';

const WAIT_S = 5;
const GATE_S = 8;
const OVER = ['succeeded', 'failed'];

/** What people do to a run meanwhile, if anything. */
export type Interference = 'nothing' | 'pause' | 'cancel' | 'answer';

/**
 * start -> work -> rest (5 s) -> gate (8 s, then by itself) -> finish -> exit, with commands that note what they do: runs
 * that mostly wait, for time or for people.
 */
export class PatientRuns {
  private readonly all: Promise<void>[] = [];

  constructor(
    private readonly attack: Pick<Attack, 'site' | 'dice' | 'successes'>,
    private readonly client: PersistentClient,
  ) {}

  /** Begins one every so often for this long, each with an interference of the dice. Resolves when no more are begun. */
  async begin(forMs: number, everyMs: number, kinds: readonly Interference[]): Promise<void> {
    const { dice } = this.attack;
    for (const until = performance.now() + forMs; performance.now() < until; await sleep(everyMs)) {
      this.all.push(this.live(dice.oneOf(kinds), dice.fork()));
    }
  }

  /** Resolves when everything has been done to the runs that is done to them. */
  async done(): Promise<number> {
    await Promise.all(this.all);
    return this.all.length;
  }

  private async live(interference: Interference, dice: Dice): Promise<void> {
    const runId = newUlid(Date.now());
    if ((await this.client.create(runId, patient(this.attack.site, dice))) !== 'acknowledged') return;
    if (interference !== 'cancel') this.attack.successes.add(runId);
    await this.client.start(runId);
    await sleep(dice.between(200, 6_000));
    if (interference === 'pause') await this.pause(runId, dice.between(500, 6_000));
    if (interference === 'cancel') await this.client.cancel(runId);
    if (interference === 'answer') await this.answer(runId);
  }

  /** Asked for until it is heard: a run that has not begun yet, or is over, cannot be paused. */
  private async pause(runId: string, forMs: number): Promise<void> {
    await this.until(runId, async () => (await this.client.once(`/api/v1/runs/${runId}/pause`)) === 200);
    await sleep(forMs);
    await this.until(runId, async () => (await this.client.once(`/api/v1/runs/${runId}/unpause`)) === 200);
  }

  private async answer(runId: string): Promise<void> {
    await this.until(runId, async () => {
      const [question] = await this.client.questions(runId);
      if (question) await this.client.answer(runId, question.id, 'Y');
      return question !== undefined;
    });
  }

  private async until(runId: string, is: () => Promise<boolean>): Promise<void> {
    for (const end = performance.now() + 60_000; performance.now() < end; await sleep(250)) {
      if ((await is()) || OVER.includes((await this.client.status(runId))?.kind ?? '')) return;
    }
  }
}

function patient({ effects }: Site, dice: Dice): string {
  const command = (id: string): string => `${id} [script=${JSON.stringify(effects.script(dice.between(2, 30) / 10))}]`;
  return workflow(`${command('work')} ${command('finish')} rest [shape=insulator, duration="${WAIT_S}s"]
    gate [shape=hexagon, label="Go on?", timeout="${GATE_S}s", human.default_choice=finish]
    start -> work -> rest -> gate
    gate -> finish [label="[Y] Yes"]
    finish -> exit`);
}
