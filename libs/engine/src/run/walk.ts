import { stamp, type FailureDetail, type RunEvent, type StampedEvent, type UnknownEvent } from '#libs/events';
import { evolve } from './evolve.js';
import type { AttemptResult } from '../stage/outcome.js';
import { closeAttempt } from './close-attempt.js';
import type { RunDefinition } from './definition.js';
import { cancelRun, failRun } from './end-run.js';
import { enterNode } from './enter-node.js';
import { routeOn } from './route-on.js';
import { resumeAttempt, retryStage } from './start-attempt.js';
import { MAIN_CURSOR, type Cursor, type OpenStage, type RunState } from './state.js';
import type { Moment, StageWork, WalkContext } from './walk-context.js';

/** What happens next. The events are one append: all of them are stored, or none. */
export interface Step {
  events: StampedEvent[];
  work: StageWork[];
  /** When nothing is left to execute: the next moment at which something is, or null when nothing ever is by itself. */
  wakeAt: number | null;
  /** True when the walk can go on at once: ask again after handing over the events. */
  more: boolean;
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
  /** Filled by the worker before it hands in a result whose values it keeps elsewhere. */
  readonly resolved = new Map<string, string>();
  private events: StampedEvent[] = [];
  private nodesSinceWork = 0;
  private work: StageWork[] = [];

  constructor(
    readonly definition: RunDefinition,
    readonly state: RunState,
    readonly moment: Moment,
  ) {}

  get cursor(): Cursor {
    return this.state.cursors[MAIN_CURSOR]!;
  }

  /** Folds in what others appended to the log (a cancel request, a new title). */
  hear(event: StampedEvent | UnknownEvent): void {
    evolve(this.state, event, this.definition.kindOf);
  }

  /** The workspace is ready: the wall time of the run begins. */
  begin(): Step {
    const { name, goal } = this.definition;
    this.say({ event: 'run.started', properties: { name, ...(goal && { goal }) } });
    this.say({ event: 'run.running', properties: {} });
    return this.step();
  }

  /** Goes on from where the state stands, as far as it leads without outside help. */
  advance(): Step {
    let transitions = 0;
    while ((transitions < MAX_TRANSITIONS || this.cursor.position.at === 'outcome') && this.transition()) transitions++;
    return { ...this.step(), more: transitions >= MAX_TRANSITIONS && this.state.phase === 'walking' };
  }

  /** An attempt ended: records its outcome, chooses the way on, writes the checkpoint and goes on, in one append. */
  finish(stageId: string, result: AttemptResult): Step {
    const { position } = this.cursor;
    const isAwaited =
      position.at === 'stage' && position.stage.id === stageId && position.stage.doing.what === 'working';
    if (!isAwaited || this.state.phase === 'ended') return this.step();
    closeAttempt(this, position.stage, result);
    return this.advance();
  }

  /** Something happened inside a stage (its command started); it changes no decision. */
  note(event: RunEvent): Step {
    this.say(event);
    return this.step();
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
    const stamped = stamp(event, this.moment.now);
    this.hear(stamped);
    this.events.push(stamped);
  }

  /** Asks the worker to execute a stage. */
  execute(work: StageWork): void {
    this.nodesSinceWork = 0;
    this.work.push(work);
  }

  /** One transition; false when the walk waits for work, for time, or has ended. */
  private transition(): boolean {
    if (this.state.phase !== 'walking') return false;
    const { position } = this.cursor;
    switch (position.at) {
      case 'node':
        if (++this.nodesSinceWork > this.maxNodesWithoutWork) this.failCircle(position.node);
        else enterNode(this, position.node);
        return true;
      case 'outcome':
        routeOn(this, position.node, position.stageId);
        return true;
      case 'stage':
        return this.continueStage(position.stage);
    }
  }

  /** No path is longer without passing some node a hundred times: a circle of decisions would fill the log for ever. */
  private get maxNodesWithoutWork(): number {
    return 100 * this.definition.index.graph.nodes.length;
  }

  private failCircle(node: string): void {
    const message = `The walk came to "${node}" after ${this.maxNodesWithoutWork} nodes that execute nothing; run is stuck in a cycle`;
    failRun(this, 'workflow_error', { message, category: 'structural' });
  }

  private continueStage(stage: OpenStage): boolean {
    switch (stage.doing.what) {
      case 'working':
        if (stage.epoch !== this.moment.epoch) resumeAttempt(this, stage);
        return false;
      case 'waiting':
        if (stage.doing.until > this.moment.now) return false;
        this.nodesSinceWork = 0;
        closeAttempt(this, stage, { kind: 'outcome', outcome: { status: 'succeeded' } });
        return true;
      case 'backing_off':
        if (stage.doing.until > this.moment.now) return false;
        retryStage(this, stage);
        return true;
    }
  }

  private step(): Step {
    const { events, work } = this;
    this.events = [];
    this.work = [];
    return { events, work, wakeAt: this.wakeAt(), more: false, ended: this.state.phase === 'ended' };
  }

  private wakeAt(): number | null {
    const { position } = this.cursor;
    if (this.state.phase !== 'walking' || position.at !== 'stage' || position.stage.doing.what === 'working')
      return null;
    return position.stage.doing.until;
  }
}
