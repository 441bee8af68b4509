import {
  isKnown,
  isReference,
  stamp,
  type FailureDetail,
  type QuestionAnswer,
  type RunEvent,
  type StampedEvent,
  type UnknownEvent,
} from '#libs/events';
import type { Json } from '#libs/kernel';
import type { HookEvent } from '#libs/settings';
import { PendingHooks, type HookWork } from '../hooks/pending-hooks.js';
import type { HookPoint } from '../definition/hook-point.js';
import type { HookDecision } from '../hooks/hook-decision.js';
import { failed, type AttemptResult } from '../stage/outcome.js';
import { Agenda } from '../ready/agenda.js';
import { afterCheckpoint, maySetOut } from '../rules/ask-hooks.js';
import { closeAttempt, timedOut } from '../rules/close-attempt.js';
import { contextEntry, type ContextEntry } from '../state/context.js';
import { openStageOf, requireCursor, scopeOfPath } from '../state/cursors.js';
import type { RunDefinition } from '../definition/run-definition.js';
import { cancelRun, failPath, failRun } from '../rules/end-path.js';
import { enterNode } from '../rules/enter-node.js';
import { evolve } from '../fold/evolve.js';
import { continueFork, endBranch, isAtJoin, mayRetry } from '../rules/fork.js';
import { answerQuestion, closeAsked, isWithdrawal, settleQuestions, wantsToAsk } from '../rules/questions.js';
import { routeOn } from '../rules/route-on.js';
import { sayStarted } from '../rules/say-started.js';
import { resumeAttempt, retryStage } from '../rules/start-attempt.js';
import { MAIN_CURSOR, type Cursor, type OpenStage, type RunState } from '../state/state.js';
import { superviseChild } from '../rules/supervise.js';
import { readOrRefused, UnreadValueError } from '../state/unread-value.js';
import type { BranchItem, Moment, StageWork, WalkContext } from '../rules/walk-context.js';
import type { Workflow } from '../definition/workflow.js';

/** What happens next. The events are one append: all of them are stored, or none. */
export interface Step {
  events: StampedEvent[];
  work: StageWork[];
  /** Hooks to be asked; {@link Walk.hooksDecided} takes what they say. */
  hooks: HookWork[];
  /** Stages and hooks that are to be stopped: nobody waits for them any more. */
  stop: string[];
  /** The next moment at which something is due by itself, or null when nothing ever is. */
  wakeAt: number | null;
  /** True when no stage is being executed and no hook asked: only time, an answer or a control request moves the run on. */
  quiet: boolean;
  /** True when the walk can go on at once: ask again after handing over the events. */
  more: boolean;
  /** True when it ends questions that others answer: {@link Walk.confirm} says under the lock what holds of it. */
  withdraws: boolean;
  /** True when something must be said of questions, which others answer: {@link Walk.settle} says it under the lock. */
  unsettled: boolean;
  ended: boolean;
}

/**
 * Transitions of one step; a long chain of nodes without work is given in pieces. No piece ends between an outcome and
 * its edge.
 */
const MAX_TRANSITIONS = 64;

/**
 * Walks one run: given the state (a fold of the log) it says what happens next. It performs nothing. Whatever it
 * says is already folded into its state, so a worker may go on deciding while the events travel to the database; when
 * the append is refused the walk is thrown away.
 */
export class Walk implements WalkContext {
  /** Filled by the worker before it hands in a result whose values it keeps elsewhere, as far as they may be read. */
  readonly resolved = new Map<string, string>();
  readonly items = new Map<string, BranchItem[]>();
  path = MAIN_CURSOR;
  /** Questions that the log says are answered. */
  private readonly answered = new Set<string>();
  private events: StampedEvent[] = [];
  private readonly pendingHooks: PendingHooks;
  private isReady: 'no' | 'yes' | 'in_sandbox' = 'no';
  private nodesSinceWork = 0;
  private work: StageWork[] = [];
  private stopped: string[] = [];
  /** Stages whose results are known, while their values are kept elsewhere. */
  private readonly keeping = new Set<string>();
  private index: Agenda | undefined;

  constructor(
    readonly definition: RunDefinition,
    readonly state: RunState,
    readonly moment: Moment,
  ) {
    this.pendingHooks = new PendingHooks(definition.hooks);
  }

  get cursor(): Cursor {
    return requireCursor(this.state, this.path);
  }

  get workflow(): Workflow {
    return this.definition.workflow(this.cursor.workflow);
  }

  /** Built when something is first decided: a log that is read needs none. */
  get agenda(): Agenda {
    return (this.index ??= new Agenda(this.state));
  }

  lookup(key: string): Json | undefined {
    return this.entry(key)?.value;
  }

  entry(key: string): ContextEntry | undefined {
    const entry = contextEntry(this.definition, this.state, this.cursor, key);
    if (!entry || !isReference(entry.value, entry.mark)) return entry;
    const text = this.resolved.get(entry.value);
    if (text === undefined) throw new UnreadValueError(key, entry.mark as number);
    return { value: text };
  }

  on<T>(path: string, work: () => T): T {
    const before = this.path;
    this.path = path;
    try {
      return work();
    } finally {
      this.path = before;
    }
  }

  /** Folds in what others appended to the log (an answer, a cancel request, a new title). */
  hear(event: StampedEvent | UnknownEvent): void {
    evolve(this.state, event, this.definition);
    this.index?.follow(event);
    if (isKnown(event) && event.event === 'interview.completed') this.answered.add(event.properties.question_id);
  }

  /** The workspace is ready: the wall time of the run begins, once its hooks let it. Goes on as {@link advance} does. */
  begin(isInSandbox = false): Step {
    this.isReady = isInSandbox ? 'in_sandbox' : 'yes';
    return this.advance();
  }

  /** Goes on from where the state stands, on every path, as far as it leads without outside help. */
  advance(): Step {
    let left = MAX_TRANSITIONS;
    this.agenda.fallDue(this.moment.now);
    this.setOut();
    for (let moved = true; moved && left > 0;) {
      moved = false;
      for (const path of this.agenda.round()) {
        const before = left;
        left = this.on(path, () => this.advancePath(left));
        moved ||= left < before;
        if (left <= 0 && this.agenda.count('outcome') === 0) break;
      }
    }
    return { ...this.step(), more: left <= 0 && this.state.phase === 'walking' };
  }

  /** An attempt ended: records its outcome, chooses the way on, writes the checkpoint and goes on, in one append. */
  finish(path: string, stageId: string, result: AttemptResult): Step {
    const cursor = this.state.cursors[path];
    const stage = cursor && openStageOf(cursor);
    const isAwaited = stage?.id === stageId && (stage.doing.what === 'working' || this.keeping.delete(stageId));
    if (!isAwaited || this.state.phase === 'ended') return this.step();
    this.on(path, () => closeAttempt(this, stage, result));
    return this.advance();
  }

  /** Hooks said what they say of the moment they were asked about. */
  hooksDecided(work: HookWork, decision: HookDecision): Step {
    this.pendingHooks.settle(work, decision);
    this.agenda.rouse(work.path);
    return this.advance();
  }

  /** Something happened inside a stage (its command started); it changes no decision. */
  note(event: RunEvent, path = MAIN_CURSOR): Step {
    if (Object.hasOwn(this.state.cursors, path)) this.on(path, () => this.say(event));
    return this.step();
  }

  /** An event that no state depends on. Unlike a note it can be said of a run whose end is decided, not yet stored. */
  remark(event: RunEvent, path: string): StampedEvent {
    return Object.hasOwn(this.state.cursors, path) ? this.on(path, () => this.placed(event)) : this.placed(event);
  }

  /**
   * Says what is to be said of questions (asks them, lets them time out, tells whether people are waited for). Others
   * answer meanwhile, so it is called while nobody else can append and everything they said has been heard.
   */
  settle(): Step {
    settleQuestions(this);
    return this.step();
  }

  /**
   * What holds of a step that withdraws questions: nothing is said of one that somebody answered first. Called as
   * {@link settle} is.
   */
  confirm({ events, ...step }: Step): Step {
    const holds = (id: string): boolean => !this.answered.has(id);
    return { ...step, events: events.filter((event) => !isWithdrawal(event) || holds(event.properties.question_id)) };
  }

  /** Somebody answers an open question. The answer is known to be one that the question takes. */
  answer(questionId: string, answer: QuestionAnswer, actor: RunEvent['actor']): Step {
    answerQuestion(this, questionId, answer, actor);
    return this.step();
  }

  /** Nothing is at work any more, as a pause request wants it. */
  rest(): Step {
    this.say({ event: 'run.paused', properties: {} });
    return this.step();
  }

  /** Somebody spoke before the run came to rest: it goes on until it rests again. */
  stir(): void {
    this.state.pause = 'requested';
  }

  /** Ends the run for a reason outside the graph. */
  fail(reason: Parameters<typeof failRun>[1], detail: FailureDetail): Step {
    failRun(this, reason, detail);
    return this.step();
  }

  /** Ends the run as cancelled, its open stages first. */
  cancel(): Step {
    cancelRun(this);
    return this.step();
  }

  /** States an event: stamps it, folds it into the state, keeps it for the append. After the end nothing is said. */
  say(event: RunEvent): void {
    if (this.state.phase === 'ended') return;
    const stamped = this.placed(event);
    this.hear(stamped);
    this.events.push(stamped);
  }

  askHooks(event: HookEvent, point: () => Omit<HookPoint, 'event'>): HookDecision | undefined {
    return this.pendingHooks.ask(this.path, event, point);
  }

  /** Asks the worker to execute a stage. */
  execute(work: Omit<StageWork, 'path'>): void {
    this.nodesSinceWork = 0;
    this.work.push({ ...work, path: this.path });
  }

  keep(stage: OpenStage, result: AttemptResult): false {
    if (!this.keeping.has(stage.id)) this.execute({ stage, result });
    this.keeping.add(stage.id);
    return false;
  }

  /** What this step itself asked for is not begun. */
  stop(stageId: string): void {
    const asked = this.work.findIndex(({ stage }) => stage.id === stageId);
    if (asked === -1) this.stopped.push(stageId);
    else this.work.splice(asked, 1);
  }

  private placed(event: RunEvent): StampedEvent {
    const isOfPath = event.node_id !== undefined && Object.hasOwn(this.state.cursors, this.path);
    return stamp(isOfPath ? { ...scopeOfPath(this.state, this.path), ...event } : event, this.moment.now);
  }

  /** Moves one path as far as it leads, and at least over an outcome. Returns how many transitions are left. */
  private advancePath(left: number): number {
    while (Object.hasOwn(this.state.cursors, this.path)) {
      if (left <= 0 && this.cursor.position.at !== 'outcome') return left;
      if (!this.transitionOrFailure()) {
        this.agenda.sleep(this.path);
        return left;
      }
      this.pendingHooks.forget(this.path);
      left--;
    }
    return left;
  }

  /** What needs a value that is too large to be read ends by name: the attempt that needs it, else the path. */
  private transitionOrFailure(): boolean {
    const moved = readOrRefused(() => this.transition());
    if (!(moved instanceof UnreadValueError)) return moved;
    const stage = openStageOf(this.cursor);
    if (stage?.doing.what === 'working') closeAttempt(this, stage, failed(moved.failure));
    else failPath(this, moved.message);
    return true;
  }

  /** One transition of this path; false when it waits for work, for time, for people, or has ended. */
  private transition(): boolean {
    if (this.state.phase !== 'walking' || this.pendingHooks.isOpen(this.path)) return false;
    const { position } = this.cursor;
    switch (position.at) {
      case 'node':
        if (!afterCheckpoint(this, position.node)) return false;
        if (isAtJoin(this)) endBranch(this, this.cursor.last?.status ?? 'succeeded');
        else if (this.state.pause !== 'none') return false;
        else if (this.nodesSinceWork >= this.maxNodesWithoutWork) this.failCircle(position.node);
        else return this.enter(position.node);
        return true;
      case 'outcome':
        return routeOn(this, position);
      case 'stage':
        return this.continueStage(position.stage);
      case 'end':
        return false;
    }
  }

  /** A run that nobody has begun begins, as soon as its workspace is ready and its hooks let it. */
  private setOut(): void {
    const { isReady, state, pendingHooks } = this;
    if (isReady === 'no' || state.phase !== 'created' || pendingHooks.isOpen(MAIN_CURSOR)) return;
    if (!maySetOut(this, isReady === 'in_sandbox')) return;
    pendingHooks.forget(MAIN_CURSOR);
    sayStarted(this);
  }

  /** No path is longer without passing some node a hundred times: a circle of decisions would fill the log for ever. */
  private get maxNodesWithoutWork(): number {
    return 100 * this.workflow.graph.nodes.length;
  }

  private enter(node: string): boolean {
    this.nodesSinceWork++;
    const entered = enterNode(this, node);
    if (!entered) this.nodesSinceWork--;
    return entered;
  }

  private failCircle(node: string): void {
    const message = `The walk came to "${node}" after ${this.maxNodesWithoutWork} nodes that execute nothing; run is stuck in a cycle`;
    failRun(this, 'workflow_error', { message, category: 'structural' });
  }

  private continueStage(stage: OpenStage): boolean {
    const { doing } = stage;
    switch (doing.what) {
      case 'working':
        if (stage.epoch !== this.moment.epoch) resumeAttempt(this, stage);
        return false;
      case 'waiting':
        if (doing.until > this.moment.now) return false;
        this.nodesSinceWork = 0;
        closeAttempt(this, stage, timedOut(this, stage) ?? { kind: 'outcome', outcome: { status: 'succeeded' } });
        return true;
      case 'backing_off':
        if (doing.until > this.moment.now || this.state.pause !== 'none' || !mayRetry(this)) return false;
        return retryStage(this, stage);
      case 'asking':
        if (!doing.asked?.end) return false;
        this.nodesSinceWork = 0;
        return closeAsked(this, stage, doing.asked);
      case 'forked':
        return continueFork(this, stage, doing);
      case 'supervising':
        return superviseChild(this, stage, doing);
    }
  }

  private step(): Step {
    const { events, work, stopped } = this;
    this.events = [];
    this.work = [];
    this.stopped = [];
    const { cursors, phase } = this.state;
    const isWalking = phase === 'walking';
    const ended = phase === 'ended';
    const dropped = this.pendingHooks.forgetAllBut((path) => !ended && Object.hasOwn(cursors, path));
    const wakeAt = isWalking ? this.agenda.nextDue : null;
    const isAtWork = (isWalking && this.agenda.count('working') > 0) || this.pendingHooks.areOpen;
    const unsettled = isWalking && wantsToAsk(this);
    const withdraws = events.some(isWithdrawal);
    return {
      events,
      work,
      hooks: this.pendingHooks.take(),
      stop: [...stopped, ...dropped],
      wakeAt,
      quiet: !isAtWork,
      more: false,
      withdraws,
      unsettled,
      ended,
    };
  }
}
