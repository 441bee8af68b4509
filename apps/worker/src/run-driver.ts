import {
  type HandlerTable,
  type ModelClient,
  initialState,
  LeaseLostError,
  RunDefinition,
  Walk,
  asksModel,
  standingAfter,
  nodeAt,
  occasionsOfEnd,
  type AttemptResult,
  type ClaimedRun,
  type Control,
  type Cursor,
  type EventNotices,
  type HookWork,
  type HttpCaller,
  type ObjectStore,
  type RunState,
  type RunStore,
  type SandboxProvider,
  type Step,
  type Verdict,
} from '#libs/engine';
import type { FailureDetail, RunEvent } from '#libs/events';
import { InvariantError, messageOf, type Clock, type Json } from '#libs/kernel';
import type { Logger } from '../../platform/src/index.js';
import type { Failpoints } from './failpoints.js';
import { HookRunner } from './hook-runner.js';
import { Inbox } from './inbox.js';
import { KeptValues } from './kept-values.js';
import type { ApiAccess } from './run-identity.js';
import { RunWorkspace } from './run-workspace.js';
import { RunWriter } from './run-writer.js';
import { showTextOf } from './show-text.js';
import { StageRunner } from './stage-runner.js';

export interface DriverParts {
  store: RunStore;
  objects: ObjectStore;
  handlers: HandlerTable;
  models: ModelClient;
  notices: EventNotices;
  http: HttpCaller;
  sandboxes: ReadonlyMap<string, SandboxProvider>;
  clock: Clock;
  failpoints: Failpoints;
  /** Null where it is not known. */
  api: ApiAccess | null;
  workerId: string;
}

/** How a drive ended: the run is over, waits without a worker, was handed over, or belongs to somebody else now. */
export type DriveEnd = 'ended' | 'parked' | 'handed_over' | 'lost';

type Message =
  | { kind: 'finished'; path: string; stageId: string; result: AttemptResult }
  | { kind: 'hooked'; work: HookWork; verdict: Verdict }
  | { kind: 'cancel' }
  | { kind: 'heard' }
  | { kind: 'stalled' }
  | { kind: 'hand_over' }
  | { kind: 'lost' };

/** Waits up to this are slept through; longer ones give back worker and slot. */
const SHORT_WAIT_MS = 2_000;
/** How long hooks may hold up a cancelled run. */
const CANCEL_HOOKS_MS = 5_000;

/**
 * Drives one claimed run until it ends, parks, is handed over or is lost: asks the walk what happens next, appends
 * what it says, executes what it asks for. It decides nothing about the run.
 */
export class RunDriver {
  private readonly inbox = new Inbox<Message>();
  private walk!: Walk;
  private writer!: RunWriter;
  private workspace!: RunWorkspace;
  private kept!: KeptValues;
  private stages!: StageRunner;
  private hooks!: HookRunner;
  private handingOver = false;
  private ending = false;

  constructor(
    private readonly claimed: ClaimedRun,
    private readonly parts: DriverParts,
    /** Bound to the run and its epoch. */
    private readonly log: Logger,
  ) {}

  get lease(): ClaimedRun['lease'] {
    return this.claimed.lease;
  }

  get knownSeq(): number {
    return this.writer?.knownSeq ?? this.claimed.nextSeq - 1;
  }

  /** Rejects only for a defect or a database that stays away; the lease then ends by itself and another worker goes on. */
  async drive(): Promise<DriveEnd> {
    try {
      this.parts.failpoints.reach('run_claimed');
      await this.open();
      const end = await this.loop(await this.said(await this.firstStep()));
      return end;
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) return 'lost';
      throw thrown;
    } finally {
      await this.close();
    }
  }

  /** The lease is good as of this monotonic instant: what runs in the sandbox may go on. */
  keepAlive(leaseGoodAtMs: number): void {
    this.workspace?.keepAlive(leaseGoodAtMs);
  }

  control(control: Control): void {
    // What is told at the end must not hold up a cancel.
    if (this.ending && control === 'cancel') this.hooks.interrupt();
    this.inbox.put({ kind: control === 'cancel' ? 'cancel' : 'heard' });
  }

  /** Others appended to the log: an answer, a wish, a title. */
  hear(): void {
    this.inbox.put({ kind: 'heard' });
  }

  /** The lease is gone: stops every effect at once and writes nothing more. */
  lose(): void {
    this.stages?.interrupt();
    this.hooks?.interrupt();
    this.inbox.put({ kind: 'lost' });
  }

  /** Gives the run back at the next safe point. */
  handOver(): void {
    this.inbox.put({ kind: 'hand_over' });
  }

  private async open(): Promise<void> {
    const { claimed, parts } = this;
    const { lease } = claimed;
    const definition = new RunDefinition(
      lease.runId,
      await parts.store.spec(lease, claimed.specSha256),
      claimed.sourceDirectory,
    );
    const moment = {
      get now(): number {
        return parts.clock.now();
      },
      epoch: lease.epoch,
      random: Math.random,
    };
    const { state, tail } = await this.stored(definition);
    this.walk = new Walk(definition, state, moment);
    for (const event of tail) this.walk.hear(event);

    this.kept = new KeptValues(parts.objects, lease);
    this.workspace = new RunWorkspace(parts.sandboxes.get(claimed.sandboxProvider), claimed, definition, parts.api);
    const { walk, workspace, kept } = this;
    this.writer = new RunWriter(parts.store, lease, claimed.nextSeq, walk, {
      controlled: (control) => this.control(control),
      progressed: () => parts.failpoints.reach('outcome_appended'),
      refused: () => this.lose(),
    });
    const { writer } = this;
    this.stages = new StageRunner(
      {
        ...{ walk, writer, workspace, kept, handlers: parts.handlers, failpoints: parts.failpoints },
        ...{ show: showTextOf(parts.notices, lease), log: this.log },
      },
      {
        finished: (path, stageId, result) => this.inbox.put({ kind: 'finished', path, stageId, result }),
        stalled: () => this.inbox.put({ kind: 'stalled' }),
      },
    );
    this.hooks = new HookRunner({ walk, writer, workspace, http: parts.http }, (work, verdict) =>
      this.inbox.put({ kind: 'hooked', work, verdict }),
    );
    for (const { context } of Object.values(walk.state.cursors)) await this.resolveRead(context);
  }

  /** The first epoch of a run begins at its start: nothing that was logged before it moved the walk. */
  private async stored(
    definition: RunDefinition,
  ): Promise<{ state: Walk['state']; tail: Parameters<Walk['hear']>[0][] }> {
    const fresh = initialState(definition.index.start.id);
    if (this.lease.epoch === 1) return { state: fresh, tail: [] };
    const { snapshot, tail } = await this.parts.store.load(this.lease);
    return { state: snapshot?.state ?? fresh, tail: [...tail] };
  }

  private async firstStep(): Promise<Step> {
    const { claimed, walk, parts } = this;
    if (walk.state.phase === 'ended') throw new InvariantError(`Run ${this.lease.runId} was claimed after its end.`);
    if (claimed.wasLost || this.lease.epoch === 1) {
      const properties = { worker_id: parts.workerId, epoch: this.lease.epoch };
      this.writer.append(walk.note({ event: 'run.claimed', properties }).events);
    }
    if (claimed.pendingControl === 'cancel' || walk.state.cancelRequested) return walk.cancel();
    const standing = standingAfter(claimed.epochsWithoutProgress);
    if (standing === 'poison') {
      const message = `${claimed.epochsWithoutProgress} workers in a row were lost while they drove this run.`;
      return walk.fail('terminated', { message, category: 'transient_infra', signature: 'worker_lost' });
    }
    const isNew = walk.state.phase !== 'walking';
    const unserved = isNew && !walk.definition.dryRun ? unservedNode(walk, parts.models) : undefined;
    if (unserved) return walk.fail('bootstrap_failed', unserved);
    try {
      if (standing === 'last_chance' && claimed.wasLost) await this.workspace.rebuild((event) => this.note(event));
      if (isNew) await this.workspace.prepare((event) => this.note(event));
    } catch (thrown) {
      return walk.fail('sandbox_init_failed', { message: messageOf(thrown), category: 'transient_infra' });
    }
    return isNew ? this.said(walk.begin(this.workspace.isNeeded)) : walk.advance();
  }

  private note(event: RunEvent): void {
    this.writer.append(this.walk.note(event).events);
  }

  private async loop(first: Step): Promise<DriveEnd> {
    for (let step = first; ;) {
      if (step.ended) return this.end(step);
      this.stages.interruptStages(step.stop);
      this.hooks.interrupt(step.stop);
      if (this.handingOver && this.isIdle) {
        if (await this.giveBack(step)) return 'handed_over';
        step = await this.goOn(step);
        continue;
      }
      const restMs = this.restMs(step);
      const isAtRest = step.work.length === 0 && this.isIdle && step.quiet && !step.more && !step.unsettled;
      const isPausing = this.walk.state.pause === 'requested';
      if (isAtRest && (isPausing || restMs === null || restMs > SHORT_WAIT_MS)) {
        if (await this.park(step)) return 'parked';
        step = await this.goOn(step);
        continue;
      }
      this.writer.append(step.events);
      for (const work of step.work) this.stages.launch(work);
      for (const work of step.hooks) this.hooks.launch(work);
      if (step.more) {
        await this.writer.keepUp();
        step = await this.said(this.walk.advance());
      } else if (step.unsettled) {
        await this.writer.appendLocked(() => this.walk.settle());
        step = await this.said(this.walk.advance());
      } else {
        const message = await this.inbox.take(restMs);
        if (message?.kind === 'lost') return 'lost';
        step = await this.react(message);
      }
    }
  }

  private async react(message: Message | undefined): Promise<Step> {
    const { walk } = this;
    switch (message?.kind) {
      case undefined:
      case 'lost':
        return await this.said(walk.advance());
      case 'hand_over':
        this.handingOver = true;
        return await this.said(walk.advance());
      case 'finished': {
        const { path, stageId, result } = message;
        if (result.kind === 'outcome') await this.resolveRead(result.outcome.contextUpdates ?? {});
        return await this.said(walk.finish(path, stageId, result));
      }
      case 'hooked':
        return await this.said(walk.hooked(message.work, message.verdict));
      case 'heard':
        await this.writer.hearOthers();
        return await this.said(walk.advance());
      case 'cancel':
        await this.stopEffects();
        return walk.cancel();
      case 'stalled': {
        // Where people are waited for, silence is no fault; the limit begins anew.
        if (walk.state.blocked) {
          this.stages.watchAgain();
          return await this.said(walk.advance());
        }
        await this.stopEffects();
        const idle_seconds = Math.round(walk.definition.index.graph.attributes.stallTimeoutMs / 1_000);
        const node = nodeAt(busiest(walk.state));
        const actor = { kind: 'system', system_kind: 'watchdog' } as const;
        this.writer.append(
          walk.note({ event: 'watchdog.timeout', node_id: node, actor, properties: { idle_seconds } }).events,
        );
        const text = `stall watchdog: node "${node}" had no activity for ${idle_seconds}s`;
        return walk.fail('workflow_error', { message: text, category: 'transient_infra', system_actor: 'watchdog' });
      }
    }
  }

  /**
   * Sends what the walk said at once, before a stage that is at work can say anything: the log has the order of the
   * fold. Where nothing is at work the events wait, since they may become part of a release; not so where a question is
   * withdrawn, which somebody may be answering.
   */
  private async said(step: Step): Promise<Step> {
    if (step.ended || (step.quiet && !step.withdraws)) return step;
    if (step.withdraws) await this.writer.appendLocked(() => this.walk.confirm(step));
    else this.writer.append(step.events);
    return { ...step, events: [] };
  }

  private async end(step: Step): Promise<DriveEnd> {
    await this.tellEnd(step);
    await this.writer.flushed();
    this.parts.failpoints.reach('before_release');
    const { events } = this.walk.confirm(step);
    await this.writer.release({ events, slot: 'none', wakeAt: null, state: null });
    await this.workspace.remove();
    return 'ended';
  }

  /** Hooks hear of the end before it is stored: when this worker is lost meanwhile, the next one tells them. */
  private async tellEnd({ events }: Step): Promise<void> {
    this.ending = true;
    const limit = this.walk.state.cancelRequested
      ? setTimeout(() => this.hooks.interrupt(), CANCEL_HOOKS_MS)
      : undefined;
    for (const occasion of occasionsOfEnd(events, this.workspace.isNeeded)) await this.hooks.tell(occasion);
    clearTimeout(limit);
  }

  /** False when others said something first: nothing was stored and the run is still held. */
  private async park({ events, wakeAt }: Step): Promise<boolean> {
    const { walk } = this;
    if (walk.state.pause === 'requested') {
      const parked = await this.letGo([...events, ...walk.rest().events], 'parked', wakeAt);
      if (!parked) walk.stir();
      return parked;
    }
    const wake_at = wakeAt === null ? {} : { wake_at: new Date(wakeAt).toISOString() };
    const parked = walk.note({ event: 'run.parked', properties: wake_at });
    return this.letGo([...events, ...parked.events], 'parked', wakeAt);
  }

  /** Stages that are started and not begun yet are taken up by the next worker. False as for {@link park}. */
  private giveBack({ events }: Step): Promise<boolean> {
    return this.letGo(events, 'queued', null);
  }

  private async letGo(events: Step['events'], slot: 'parked' | 'queued', wakeAt: number | null): Promise<boolean> {
    const state = JSON.stringify(this.walk.state);
    return (await this.writer.release({ events, slot, wakeAt, state })).released;
  }

  /** The run could not be let go because others said something: hears it and goes on, with what it was about to do. */
  private async goOn({ events, work, hooks }: Step): Promise<Step> {
    this.writer.append(events);
    await this.writer.hearOthers();
    if (this.walk.state.cancelRequested) return this.walk.cancel();
    const next = await this.said(this.walk.advance());
    return { ...next, work: [...work, ...next.work], hooks: [...hooks, ...next.hooks] };
  }

  private async close(): Promise<void> {
    await Promise.all([this.stages?.close(), this.hooks?.stop()]);
    await this.workspace?.release();
  }

  /** Nothing is executed and no hook asked. */
  private get isIdle(): boolean {
    return this.stages.isIdle && this.hooks.isIdle;
  }

  private async stopEffects(): Promise<void> {
    await Promise.all([this.stages.stop(), this.hooks.stop()]);
  }

  private restMs(step: Step): number | null {
    return step.wakeAt === null ? null : Math.max(0, step.wakeAt - this.parts.clock.now());
  }

  /** The walk sees the text of a kept value that it reads, so it is at hand before the way on is chosen. */
  private async resolveRead(values: Readonly<Record<string, Json>>): Promise<void> {
    const { walk } = this;
    for (const key of walk.definition.keysRead) {
      const value = Object.hasOwn(values, key) ? values[key] : undefined;
      const text = await this.kept.text(value);
      if (text !== undefined) walk.resolved.set(value as string, text);
    }
  }
}

/** Why a run with models cannot begin: nobody answers for one of its nodes. */
function unservedNode({ definition }: Walk, models: ModelClient): FailureDetail | undefined {
  for (const node of definition.nodes()) {
    if (!asksModel(node) || models.serves(node.provider ?? '')) continue;
    const message = `No LLM providers configured for node "${node.id}", which asks "${node.provider ?? 'any provider'}"; use the provider "simulated", or a dry run.`;
    return { message, category: 'structural' };
  }
  return undefined;
}

/** Where something is at work, as far as one place can be named. */
function busiest({ cursors }: RunState): Cursor {
  const all = Object.values(cursors);
  return all.find(({ position }) => position.at === 'stage' && position.stage.doing.what === 'working') ?? all[0]!;
}
