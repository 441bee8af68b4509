import {
  isKnown,
  type EventOf,
  type FailureDetail,
  type OutcomeStatus,
  type StampedEvent,
  type UnknownEvent,
} from '#libs/events';
import type { HandlerKind } from '#libs/language';
import { failureSignature, isTracked } from '../stage/failure-signature.js';
import { held, hold } from './by-name.js';
import { MAIN_CURSOR, newCursor, type Cursor, type OpenStage, type RunState } from './state.js';

type Closing = EventOf<'stage.completed'> | EventOf<'stage.failed'>;

/**
 * Folds one event into the state it is given: a chain of ten thousand stages must not copy ten thousand counters per
 * event, so the state is changed in place and belongs to one walker. `kindOf` says which handler a node has.
 */
export function evolve(
  state: RunState,
  event: StampedEvent | UnknownEvent,
  kindOf: (node: string) => HandlerKind | undefined,
): void {
  if (!isKnown(event)) return;
  const cursor = state.cursors[MAIN_CURSOR]!;
  switch (event.event) {
    case 'run.started':
      state.phase = 'walking';
      state.startedAt ??= Date.parse(event.ts);
      return;
    case 'run.cancel.requested':
      state.cancelRequested = true;
      return;
    case 'run.completed':
    case 'run.failed':
      state.phase = 'ended';
      return;
    case 'stage.started':
      return openStage(state, cursor, event);
    case 'stage.waiting':
      return wait(cursor, { what: 'waiting', until: Date.parse(event.properties.until) });
    case 'stage.retrying':
      return wait(cursor, { what: 'backing_off', until: Date.parse(event.properties.until) });
    case 'stage.completed':
      state.toolTimeMs += event.properties.timing.tool_time_ms;
      return record(state, cursor, event, event.properties.status, kindOf);
    case 'stage.failed':
      state.toolTimeMs += event.properties.timing.tool_time_ms;
      if (!event.properties.will_retry) record(state, cursor, event, 'failed', kindOf);
      return;
    case 'edge.selected':
      cursor.position = { at: 'node', node: event.properties.to_node };
      return;
    case 'loop.restart':
      return restart(state, event.properties.to_node);
    case 'checkpoint.completed':
      state.checkpoints = event.properties.ordinal;
      return;
    default:
      return;
  }
}

function openStage(
  state: RunState,
  cursor: Cursor,
  { node_id = '', stage_id = '', properties, ts }: EventOf<'stage.started'> & { ts: string },
): void {
  const open =
    cursor.position.at === 'stage' && cursor.position.stage.id === stage_id ? cursor.position.stage : undefined;
  if (!open) {
    count(state.executions, node_id);
    count(cursor.visits, node_id);
    state.stagesStarted = properties.index + 1;
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
      epoch: properties.epoch,
      index: properties.index,
      startedAt: Date.parse(ts),
      doing: { what: 'working' },
    },
  };
}

function wait(cursor: Cursor, doing: OpenStage['doing']): void {
  if (cursor.position.at === 'stage') cursor.position.stage.doing = doing;
}

/** A conditional node is transparent: it records that it was visited and leaves the last report to its edges. */
function record(
  state: RunState,
  cursor: Cursor,
  { node_id = '', stage_id = '', ...event }: Closing,
  status: OutcomeStatus,
  kindOf: (node: string) => HandlerKind | undefined,
): void {
  cursor.position = { at: 'outcome', node: node_id, stageId: stage_id };
  hold(state.outcomes, node_id, status);
  Object.assign(cursor.context, event.properties.context_updates);
  if (kindOf(node_id) === 'conditional') return;

  const failure = status === 'failed' ? event.properties.failure : undefined;
  const routing = event.event === 'stage.completed' ? event.properties : undefined;
  cursor.last = {
    node: node_id,
    status,
    ...(routing?.preferred_label !== undefined && { preferredLabel: routing.preferred_label }),
    ...(routing?.suggested_next_ids && { suggestedNextIds: routing.suggested_next_ids }),
    ...(failure && {
      failureCategory: failure.category,
      failureMessage: failure.message,
      failureSignature: signatureOf(node_id, failure),
    }),
  };
  Object.assign(cursor.context, {
    outcome: status,
    last_stage: node_id,
    failure_class: failure?.category ?? '',
    failure_signature: failure ? signatureOf(node_id, failure) : '',
    ...(routing?.preferred_label !== undefined && { preferred_label: routing.preferred_label }),
  });
  if (failure && isTracked(failure.category)) count(state.signatures.failures, signatureOf(node_id, failure));
}

/** Everything of the path is forgotten but the visits; a repeated restart for the same failure is counted. */
function restart(state: RunState, target: string): void {
  const old = state.cursors[MAIN_CURSOR]!;
  if (old.last?.failureSignature !== undefined) count(state.signatures.restarts, old.last.failureSignature);
  state.cursors[MAIN_CURSOR] = { ...newCursor(target), visits: old.visits };
  state.outcomes = {};
}

function signatureOf(node: string, failure: FailureDetail): string {
  return failure.signature ?? failureSignature(node, failure);
}

function count(counters: Record<string, number>, key: string): void {
  hold(counters, key, (held(counters, key) ?? 0) + 1);
}
