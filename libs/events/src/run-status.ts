import type { EventName } from './catalogue.js';
import type { EventOf, StampedEvent } from './envelope.js';
import type { RunFailureReason } from './shapes.js';

/** The eleven kinds of the interface document, each with what only it carries. */
export type RunStatus =
  | { kind: 'submitted' }
  | { kind: 'pending'; reason: 'approval_required' }
  | { kind: 'runnable' }
  | { kind: 'starting' }
  | { kind: 'running' }
  | { kind: 'blocked'; blocked_reason: 'human_input_required' }
  | { kind: 'paused'; prior_block: Block }
  | { kind: 'removing' }
  | { kind: 'succeeded'; reason: 'completed' | 'partial_success' }
  | { kind: 'failed'; reason: RunFailureReason }
  | { kind: 'dead' };

export type RunStatusKind = RunStatus['kind'];

type Block = 'human_input_required' | null;

/** As much of a status as decides about the next one. */
export type KnownStatus = { kind: Exclude<RunStatusKind, 'paused'> } | { kind: 'paused'; prior_block: Block };

/** Every move that a log may tell of; a terminal kind is one whose only way on is removal (or, for `failed`, a resume). */
const moves: Record<RunStatusKind, readonly RunStatusKind[]> = {
  submitted: ['pending', 'runnable', 'failed', 'removing'],
  pending: ['runnable', 'failed', 'submitted', 'removing'],
  runnable: ['starting', 'failed', 'submitted', 'removing'],
  starting: ['running', 'failed', 'submitted', 'removing'],
  running: ['succeeded', 'failed', 'blocked', 'paused', 'submitted', 'removing'],
  blocked: ['running', 'paused', 'failed', 'submitted', 'removing'],
  paused: ['running', 'blocked', 'failed', 'submitted', 'removing'],
  removing: ['failed', 'submitted'],
  failed: ['submitted', 'removing'],
  succeeded: ['removing'],
  dead: ['removing'],
};

export const RUN_STATUSES = Object.keys(moves) as readonly RunStatusKind[];

/** A run that is over cannot fail any more, and is not on its way out either. */
export function isTerminal(kind: RunStatusKind): boolean {
  return !moves[kind].includes('failed');
}

export function mayMove(from: RunStatusKind, to: RunStatusKind): boolean {
  return from === to || moves[from].includes(to);
}

/** The events that say something about the status, each with where it leads. */
const leadsTo: { [Name in EventName]?: (event: EventOf<Name>, before: KnownStatus) => RunStatus } = {
  'run.submitted': () => ({ kind: 'submitted' }),
  'run.pending': () => ({ kind: 'pending', reason: 'approval_required' }),
  'run.runnable': () => ({ kind: 'runnable' }),
  'run.starting': () => ({ kind: 'starting' }),
  'run.running': () => ({ kind: 'running' }),
  'run.blocked': (_, before) => withBlock(before, 'human_input_required'),
  'run.unblocked': (_, before) => withBlock(before, null),
  'run.paused': (_, before) => ({ kind: 'paused', prior_block: blockOf(before) }),
  'run.unpaused': (_, before) => atWork(blockOf(before)),
  'run.completed': ({ properties: { reason } }) => ({ kind: 'succeeded', reason }),
  'run.failed': ({ properties: { failure } }) => ({ kind: 'failed', reason: failure.reason }),
  'run.removing': () => ({ kind: 'removing' }),
};

/** The events that move a run from one status to another. */
export const STATUS_EVENTS = Object.keys(leadsTo) as readonly EventName[];

/** What an event says about the status; undefined when it says nothing, or is a copy of what another run said. */
export function saidStatus(before: KnownStatus, event: StampedEvent): RunStatus | undefined {
  const lead = leadsTo[event.event] as ((event: StampedEvent, before: KnownStatus) => RunStatus) | undefined;
  return event.origin ? undefined : lead?.(event, before);
}

/**
 * The status after an event of any log; the same object where it changes nothing. What no run does is not followed: a move
 * that the table forbids, or a second end.
 */
export function statusAfter<Before extends KnownStatus>(before: Before, event: StampedEvent): Before | RunStatus {
  const next = saidStatus(before, event);
  if (!next || !mayMove(before.kind, next.kind)) return before;
  const isOverAlready = next.kind === before.kind && isTerminal(next.kind);
  return isOverAlready ? before : next;
}

function blockOf(status: KnownStatus): Block {
  if (status.kind === 'paused') return status.prior_block;
  return status.kind === 'blocked' ? 'human_input_required' : null;
}

function atWork(block: Block): RunStatus {
  return block === null ? { kind: 'running' } : { kind: 'blocked', blocked_reason: block };
}

/** A run that is paused stays so; it remembers what it will wait for. */
function withBlock(before: KnownStatus, block: Block): RunStatus {
  return before.kind === 'paused' ? { kind: 'paused', prior_block: block } : atWork(block);
}
