import { isKnown, withCall, type EventOf, type StampedEvent, type Timing, type UnknownEvent } from '#libs/events';
import { held, hold } from '../state/by-name.js';
import { cursorOf, nodeAt, openStageOf, pathsUnder, placeOf, visitsOf } from '../state/cursors.js';
import { evolveBranches } from './evolve-branches.js';
import { evolveQuestion } from './evolve-question.js';
import type { GraphFacts } from '../definition/graph-facts.js';
import { record } from './record.js';
import { restart, resume } from './restarts.js';
import { REMEMBERED_EPOCHS } from '../recovery/standing.js';
import { MAIN_CURSOR, type Cursor, type Doing, type OpenStage, type RunState, type Telling } from '../state/state.js';
import { tellingOn, threadGoneOnWith } from '../state/telling.js';
import { writeAll } from './written.js';

/**
 * Folds one event into the state it is given: a chain of ten thousand stages must not copy ten thousand counters per
 * event, so the state is changed in place and belongs to one walker.
 */
export function evolve(state: RunState, event: StampedEvent | UnknownEvent, facts: GraphFacts): void {
  if (!isKnown(event)) return;
  const cursor = cursorOf(state, event);
  switch (event.event) {
    case 'run.start_requested':
      if (state.resumeAt) resume(state, Date.parse(event.ts), state.resumeAt);
      return;
    case 'run.started':
      state.phase = 'walking';
      state.startedAt ??= Date.parse(event.ts);
      return;
    case 'run.cancel.requested':
      state.cancelRequested = true;
      return;
    case 'run.pause.requested':
      state.pause = 'requested';
      return;
    case 'run.paused':
      state.pause = 'paused';
      return;
    case 'run.unpaused':
      state.pause = 'none';
      return;
    case 'run.blocked':
      state.blocked = true;
      return;
    case 'run.unblocked':
      state.blocked = false;
      return;
    case 'run.completed':
    case 'run.failed':
      state.phase = 'ended';
      state.blocked = false;
      return;
    case 'sandbox.initialized':
      state.workDir = event.properties.working_directory;
      return;
    case 'parallel.started':
    case 'parallel.branch.started':
    case 'parallel.branch.completed':
    case 'parallel.completed':
    case 'subgraph.started':
    case 'subgraph.completed':
      return evolveBranches(state, event);
    case 'loop.restart':
      return restart(state, event);
    case 'checkpoint.completed': {
      const { ordinal, next_node_id, current_node } = event.properties;
      state.checkpoints = ordinal;
      // A stage that leads nowhere is itself what a resume repeats.
      state.resumeAt =
        next_node_id === undefined
          ? { node: current_node, entered: [current_node], stages: { [current_node]: event.stage_id ?? '' } }
          : { node: next_node_id, entered: [], stages: {} };
      return;
    }
    case 'stage.started':
      if (cursor) openStage(state, cursor, event, facts);
      return;
    case 'stage.waiting':
      if (cursor) wait(cursor, event);
      return;
    case 'stage.retrying':
      if (cursor) rest(cursor, { what: 'backing_off', until: Date.parse(event.properties.until) });
      return;
    case 'agent.message':
    case 'prompt.completed':
      state.billing = withCall(state.billing, event);
      return;
    case 'stage.completed':
    case 'stage.failed': {
      if (!event.origin) spend(state, event.properties.timing);
      if (!cursor) return;
      closePathsUnder(state, cursor);
      if (event.event === 'stage.failed' && event.properties.will_retry) return;
      record(state, cursor, event, facts);
      return;
    }
    case 'context.edited':
      writeAll(state.cursors[MAIN_CURSOR]!, event.properties.values);
      return;
    case 'edge.selected': {
      if (!cursor) return;
      const { from_node, to_node, label, condition, is_jump } = event.properties;
      cursor.position = { at: 'node', node: to_node };
      cursor.arrivedBy = is_jump
        ? null
        : { from: from_node, ...(label !== undefined && { label }), ...(condition !== undefined && { condition }) };
      return;
    }
    case 'interview.started':
    case 'interview.completed':
    case 'interview.timeout':
    case 'interview.interrupted':
      if (cursor) evolveQuestion(cursor, event);
      return;
    default:
      return;
  }
}

function openStage(
  state: RunState,
  cursor: Cursor,
  event: EventOf<'stage.started'> & { ts: string },
  facts: GraphFacts,
): void {
  const { node_id = '', stage_id = '', properties, ts } = event;
  const open = openStageOf(cursor);
  const before = open?.id === stage_id ? open : undefined;
  if (!before) {
    hold(state.executions, node_id, (held(state.executions, node_id) ?? 0) + 1);
    hold(cursor.visits, node_id, visitsOf(state, cursor, node_id) + 1);
    cursor.steps++;
    state.stagesStarted = properties.index + 1;
    takePlace(state, cursor, node_id, stage_id);
  }
  cursor.position = {
    at: 'stage',
    stage: {
      id: stage_id,
      node: node_id,
      execution: held(state.executions, node_id)!,
      attempt: properties.attempt,
      maxAttempts: properties.max_attempts,
      attemptId: properties.attempt_id,
      lostAttemptIds: before?.attempt === properties.attempt ? lostWith(before) : [],
      epoch: properties.epoch,
      index: properties.index,
      startedAt: Date.parse(ts),
      doing: facts.kindOf(node_id) === 'human' ? { what: 'asking', asked: null } : { what: 'working' },
    },
  };
  if (!before) tell(cursor, tellingOn(state, cursor, facts));
}

function tell(cursor: Cursor, telling: Telling | null): void {
  cursor.telling = telling;
  const thread = telling && threadGoneOnWith(telling);
  if (thread !== null) hold(cursor.threads, thread, nodeAt(cursor));
}

/** The same attempt begins again: its worker was lost, and those before it. */
function lostWith({ attemptId, lostAttemptIds }: OpenStage): string[] {
  return [attemptId, ...lostAttemptIds].slice(0, REMEMBERED_EPOCHS);
}

/** A stage takes the place of one that was given up, and is what a resume gives up next. */
function takePlace(state: RunState, cursor: Cursor, node: string, stageId: string): void {
  const place = placeOf(state, cursor, node);
  delete state.givenUp[place];
  if (!state.resumeAt) return;
  hold(state.resumeAt.stages, place, stageId);
  if (!cursor.host) state.resumeAt.entered.push(node);
}

function wait(cursor: Cursor, { properties: { kind, cycle, until: at } }: EventOf<'stage.waiting'>): void {
  const until = Date.parse(at);
  rest(cursor, kind === 'timer' ? { what: 'waiting', until } : { what: 'supervising', cycle: cycle ?? 0, until });
}

function rest({ position }: Cursor, doing: Doing): void {
  if (position.at === 'stage') position.stage.doing = doing;
}

/** The paths that a stage opened are gone with it. */
function closePathsUnder(state: RunState, cursor: Cursor): void {
  const stage = openStageOf(cursor);
  if (!stage) return;
  for (const id of pathsUnder(state, stage)) delete state.cursors[id];
}

function spend(state: RunState, timing: Timing): void {
  state.toolTimeMs += timing.tool_time_ms;
  state.inferenceTimeMs += timing.inference_time_ms;
}
