import {
  initialState,
  RunDefinition,
  Walk,
  type ClaimedRun,
  type Control,
  type RunStore,
  type Step,
} from '#libs/engine';
import type { RunEvent } from '#libs/events';
import type { Json } from '#libs/kernel';
import type { Logger } from '../../platform/src/index.js';
import type { DriverParts } from './driver-parts.js';
import { HookRunner } from './hook-runner.js';
import { KeptValues } from './kept-values.js';
import { LargeTexts } from './large-texts.js';
import type { Message } from './message.js';
import { RunWorkspace } from './run-workspace.js';
import { RunWriter } from './run-writer.js';
import { showTextOf } from './show-text.js';
import { StageRunner } from './stage-runner.js';

/** Whom a run tells what happens in it. */
export interface RunCalls {
  told(message: Message): void;
  controlled(control: Control): void;
  /** The worker holds the run no longer. */
  refused(): void;
}

type Stored = Pick<Awaited<ReturnType<RunStore['load']>>, 'snapshot' | 'tail'>;

/** A run that a worker holds, as it stood when it was claimed, with everything that it is driven with. */
export class OpenRun {
  readonly walk: Walk;
  readonly writer: RunWriter;
  readonly workspace: RunWorkspace;
  readonly stages: StageRunner;
  readonly hooks: HookRunner;
  private readonly kept: KeptValues;

  /** Reads where the run stands. Nothing is said or executed yet. */
  static async open(claimed: ClaimedRun, parts: DriverParts, log: Logger, calls: RunCalls): Promise<OpenRun> {
    const { lease, specSha256, sourceDirectory } = claimed;
    const spec = await parts.store.spec(lease, specSha256);
    const definition = new RunDefinition(lease.runId, spec, sourceDirectory);
    // The first epoch of a run begins at its start: nothing that was logged before it moved the walk.
    const stored = lease.epoch === 1 ? { snapshot: null, tail: [] } : await parts.store.load(lease);
    const run = new OpenRun(claimed, parts, definition, stored, log, calls);
    for (const { context } of Object.values(run.walk.state.cursors)) await run.resolveRead(context);
    return run;
  }

  private constructor(
    readonly claimed: ClaimedRun,
    readonly parts: DriverParts,
    definition: RunDefinition,
    { snapshot, tail }: Stored,
    log: Logger,
    calls: RunCalls,
  ) {
    const { lease, nextSeq, sandboxProvider } = claimed;
    const { store, objects, handlers, failpoints, clock, http, sandboxes, api, notices } = parts;
    const moment = {
      get now(): number {
        return clock.now();
      },
      epoch: lease.epoch,
      random: Math.random,
    };
    const walk = new Walk(definition, snapshot?.state ?? initialState(definition.index.start.id), moment);
    for (const event of tail) walk.hear(event);

    const kept = new KeptValues(objects, lease);
    const workspace = new RunWorkspace(sandboxes.get(sandboxProvider), claimed, definition, api);
    const writer = new RunWriter(store, lease, nextSeq, walk, new LargeTexts(kept, log), {
      controlled: (control) => calls.controlled(control),
      progressed: () => failpoints.reach('outcome_appended'),
      refused: () => calls.refused(),
    });
    const show = showTextOf(notices, lease);
    this.stages = new StageRunner(
      { walk, writer, workspace, kept, handlers, failpoints, show, log },
      {
        finished: (path, stageId, result) => calls.told({ kind: 'finished', path, stageId, result }),
        stalled: () => calls.told({ kind: 'stalled' }),
      },
    );
    this.hooks = new HookRunner({ walk, writer, workspace, http }, (work, verdict) =>
      calls.told({ kind: 'hooked', work, verdict }),
    );
    this.walk = walk;
    this.kept = kept;
    this.workspace = workspace;
    this.writer = writer;
  }

  /** Nothing is executed and no hook asked. */
  get isIdle(): boolean {
    return this.stages.isIdle && this.hooks.isIdle;
  }

  /** Goes on from where the run stands. */
  advance(): Promise<Step> {
    return this.said(this.walk.advance());
  }

  /** States an event that decides nothing. */
  note(event: RunEvent): void {
    this.writer.append(this.walk.note(event).events);
  }

  /**
   * Sends what the walk said at once, before a stage that is at work can say anything: the log has the order of the
   * fold. Where nothing is at work the events wait, since they may become part of a release; not so where a question is
   * withdrawn, which somebody may be answering.
   */
  async said(step: Step): Promise<Step> {
    if (step.ended || (step.quiet && !step.withdraws)) return step;
    if (step.withdraws) await this.writer.appendLocked(() => this.walk.confirm(step));
    else this.writer.append(step.events);
    return { ...step, events: [] };
  }

  /** The walk sees the text of a kept value that it reads, so it is at hand before the way on is chosen. */
  async resolveRead(values: Readonly<Record<string, Json>>): Promise<void> {
    const { walk } = this;
    for (const key of walk.definition.keysRead) {
      const value = Object.hasOwn(values, key) ? values[key] : undefined;
      const text = await this.kept.text(value);
      if (text !== undefined) walk.resolved.set(value as string, text);
    }
  }

  /** Asks every effect to end, at once. */
  interrupt(): void {
    this.stages.interrupt();
    this.hooks.interrupt();
  }

  /** Ends every effect and waits until nothing is at work any more. */
  async stopEffects(): Promise<void> {
    await Promise.all([this.stages.stop(), this.hooks.stop()]);
  }

  /** As {@link stopEffects}, for good; what the run has in its sandbox stays for its next worker. */
  async close(): Promise<void> {
    await Promise.all([this.stages.close(), this.hooks.stop()]);
    await this.workspace.release();
  }
}
