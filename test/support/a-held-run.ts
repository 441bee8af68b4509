import { initialState, Walk, type ClaimedRun, type Control, type RunDefinition, type RunKey } from '#libs/engine';
import { stamp, type RunEvent, type StampedEvent } from '#libs/events';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { created } from './a-log.js';
import { aDefinition } from './a-run.js';
import { InMemoryRuns, InMemoryRunStore } from './in-memory-run-store.js';

const SPEC = { settings: {}, graph: {}, workflow_source: '' };

/** A run that a worker has just claimed, with a store and a walk for it. */
export class AHeldRun {
  readonly runs = new InMemoryRuns();
  readonly store = new InMemoryRunStore(this.runs);
  readonly walk: Walk;
  /** What the walk was told that it did not say itself. */
  readonly heard: string[] = [];

  private constructor(
    readonly definition: RunDefinition,
    readonly key: RunKey,
  ) {
    const { heard } = this;
    class ListeningWalk extends Walk {
      override hear(event: Parameters<Walk['hear']>[0]): void {
        if ('seq' in event) heard.push(event.event);
        super.hear(event);
      }
    }
    const moment = { now: Date.now(), epoch: 1, random: () => 0 };
    this.walk = new ListeningWalk(definition, initialState(definition.index.start.id), moment);
  }

  claim!: ClaimedRun;

  static async of(statements: string, models: string[] = []): Promise<AHeldRun> {
    const key = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
    const held = new AHeldRun(aDefinition(statements, { models }), key);
    const submitted: RunEvent = { event: 'run.submitted', properties: { definition_blob: 'a'.repeat(64) } };
    held.runs.submit(key, SPEC, 'a'.repeat(64), [created(), submitted].map(anEvent));
    held.runs.start(key);
    const [claim] = await held.store.claim('ann', 1);
    held.claim = claim!;
    return held;
  }

  /** Somebody who is no worker appends. */
  change(event: RunEvent, control?: Control): void {
    this.runs.change(this.key, [anEvent(event)], control);
  }

  get log(): string[] {
    return this.runs.log(this.key).map(({ event }) => event);
  }
}

export function anEvent(event: RunEvent): StampedEvent {
  return stamp(event, Date.now());
}
