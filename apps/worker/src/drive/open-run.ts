import type { ClaimedRun, Control, Step, Walk } from '#libs/engine';
import type { RunEvent } from '#libs/events';
import type { Logger } from '#libs/server-runtime';
import type { DriverParts } from './driver-parts.js';
import { HookRunner } from '../execute/hook-runner.js';
import { KeptValues } from '../values/kept-values.js';
import { LargeTexts } from '../values/large-texts.js';
import { loadWalk } from './load-walk.js';
import type { Message } from './message.js';
import { ReadValues } from '../values/read-values.js';
import { RunWorkspace } from '../workspace/run-workspace.js';
import { RunWriter } from '../execute/run-writer.js';
import { showTextOf } from '../execute/show-text.js';
import { StageRunner } from '../execute/stage-runner.js';

/** Whom a run tells what happens in it. */
export interface RunCalls {
  told(message: Message): void;
  controlled(control: Control): void;
  /** When the lease was last known to be good, as a monotonic instant. */
  leaseGoodAtMs(): number;
  /** A checkpoint is durable: whatever happens, the run goes on behind it. */
  gotOn(): void;
  /** This worker cannot go on with the run, or holds it no longer. */
  failed(reason: unknown): void;
}

/** A run that a worker holds, as it stood when it was claimed, with everything that it is driven with. */
export class OpenRun {
  readonly writer: RunWriter;
  readonly workspace: RunWorkspace;
  readonly stages: StageRunner;
  readonly hooks: HookRunner;
  readonly values: ReadValues;

  /** Reads where the run stands. Nothing is said or executed yet. */
  static async open(claimed: ClaimedRun, parts: DriverParts, log: Logger, calls: RunCalls): Promise<OpenRun> {
    return new OpenRun(claimed, parts, await loadWalk(claimed, parts), log, calls);
  }

  private constructor(
    readonly claimed: ClaimedRun,
    readonly parts: DriverParts,
    readonly walk: Walk,
    /** Bound to the run and its epoch. */
    readonly log: Logger,
    calls: RunCalls,
  ) {
    const { lease, nextSeq, sandboxProvider } = claimed;
    const { store, objects, handlers, failpoints, http, sandboxes, api, notices } = parts;
    const kept = new KeptValues(objects, lease);
    const workspace = new RunWorkspace(
      sandboxes.get(sandboxProvider),
      claimed,
      walk.definition,
      api,
      calls.leaseGoodAtMs(),
    );
    const failed = (reason: unknown): void => calls.failed(reason);
    const writer = new RunWriter(store, lease, nextSeq, walk, new LargeTexts(kept, log), {
      controlled: (control) => calls.controlled(control),
      progressed: (events) => {
        if (events.some(({ event }) => event === 'checkpoint.completed')) calls.gotOn();
        failpoints.reach('outcome_appended');
      },
      failed,
    });
    const show = showTextOf(notices, lease);
    this.stages = new StageRunner(
      { walk, writer, workspace, kept, handlers, failpoints, show, log },
      {
        finished: (path, stageId, result) => calls.told({ kind: 'finished', path, stageId, result }),
        stalled: () => calls.told({ kind: 'stalled' }),
        failed,
      },
    );
    this.hooks = new HookRunner(
      { walk, writer, workspace, http },
      { told: (work, decision) => calls.told({ kind: 'hooks_decided', work, decision }), failed },
    );
    this.values = new ReadValues(walk, kept);
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

  /** Ends every effect and waits until nothing is at work any more. */
  async stopEffects(): Promise<void> {
    await Promise.all([this.stages.stop(), this.hooks.stop()]);
  }

  /** The run was let go: nothing of it is at work any more; what it has in its sandbox stays for its next worker. */
  async close(): Promise<void> {
    this.writer.close();
    await Promise.all([this.stages.close(), this.hooks.close()]);
    await this.workspace.release();
  }

  /**
   * This worker has nothing to say of the run any more. It writes nothing, and what works in the sandbox is left there: the
   * next epoch goes on with it, or its runner ends it. Everything else that is at work ends.
   */
  async detach(): Promise<void> {
    this.writer.close();
    await Promise.all([this.workspace.release(), this.stages.close(), this.hooks.close()]);
  }
}
