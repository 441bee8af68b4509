import { newUlid } from '#libs/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from './dice.js';
import type { Following } from './examination.js';
import { Follower, type StreamedEvent } from './follower.js';
import { History } from './history.js';
import { PersistentClient } from './persistent-client.js';
import type { Site } from './site.js';

export interface LoadOptions {
  runs: number;
  /** Over which time runs are begun. */
  spreadMs: number;
  dice: Dice;
}

/** The status of each run when it was last seen, and all that clients did and saw. */
export class ReferenceLoad {
  readonly history = new History();
  readonly followers: Following[] = [];
  readonly client: PersistentClient;

  constructor(
    private readonly site: Site,
    private readonly options: LoadOptions,
  ) {
    this.client = new PersistentClient(site.urls, site.token, site.directory, this.history);
  }

  /** Begins every run, follows it and answers what it asks. Resolves when all are over or the time is up. */
  async run(deadlineMs: number): Promise<void> {
    const { runs, spreadMs, dice } = this.options;
    const all: Promise<void>[] = [];
    for (let i = 0; i < runs; i++) {
      all.push(this.live(newUlid(Date.now()), sixStages(this.site.effects.script(dice.between(1, 20) / 10))));
      await sleep(spreadMs / runs);
    }
    const late = sleep(deadlineMs, undefined, { ref: false });
    await Promise.race([Promise.all(all), late]);
    await Promise.all(this.followers.map(({ follower }) => follower.close()));
    await Promise.all(all);
  }

  private async live(runId: string, source: string): Promise<void> {
    if ((await this.client.create(runId, source)) !== 'acknowledged') return;
    const answers: Promise<unknown>[] = [];
    const { urls, token } = this.site;
    const hear = (event: StreamedEvent): void => {
      if (event.event !== 'interview.started') return;
      answers.push(this.client.answer(runId, String(event.properties?.question_id), 'Y'));
    };
    const follower = new Follower({ urls, token, runId, hear });
    this.followers.push({ runId, follower });
    await this.client.start(runId);
    await follower.done;
    await Promise.all(answers);
  }
}

/** start -> prepare -> think -> fork -> a, b, c -> join -> gate -> finish -> exit */
function sixStages(script: string): string {
  const command = (id: string): string => `${id} [shape=parallelogram, script=${JSON.stringify(script)}]`;
  return `digraph Reference {
    start [shape=Mdiamond] exit [shape=Msquare]
    ${['prepare', 'a', 'b', 'c', 'finish'].map(command).join('\n    ')}
    think [shape=tab, prompt="Think.\\nsimulate: {\\"text\\": \\"Thought.\\", \\"delay_ms\\": 200}", provider=simulated, model=simulated]
    fork [shape=component] join [shape=tripleoctagon]
    gate [shape=hexagon, label="Go on?"]
    start -> prepare -> think -> fork
    fork -> a -> join
    fork -> b -> join
    fork -> c -> join
    join -> gate
    gate -> finish [label="[Y] Yes"]
    finish -> exit
  }`;
}
