import { RunyardError } from '#libs/kernel';
import type { RunFailureReason } from './shapes.js';

/** The eleven kinds of the interface document, each with what only it carries. */
export type RunStatus =
  | { kind: 'submitted' }
  | { kind: 'pending'; reason: 'approval_required' }
  | { kind: 'runnable' }
  | { kind: 'starting' }
  | { kind: 'running' }
  | { kind: 'blocked'; blocked_reason: 'human_input_required' }
  | { kind: 'paused'; prior_block: 'human_input_required' | null }
  | { kind: 'removing' }
  | { kind: 'succeeded'; reason: 'completed' | 'partial_success' }
  | { kind: 'failed'; reason: RunFailureReason }
  | { kind: 'dead' };

export type RunStatusKind = RunStatus['kind'];

/** Every allowed move; a terminal kind is one whose only way on is removal (or, for `failed`, a resume). */
const moves: Record<RunStatusKind, readonly RunStatusKind[]> = {
  submitted: ['pending', 'runnable', 'failed', 'removing'],
  pending: ['runnable', 'failed', 'submitted', 'removing'],
  runnable: ['starting', 'failed', 'submitted', 'removing'],
  starting: ['running', 'failed', 'submitted', 'removing'],
  running: ['succeeded', 'failed', 'blocked', 'paused', 'submitted', 'removing'],
  blocked: ['running', 'paused', 'failed', 'submitted', 'removing'],
  paused: ['running', 'blocked', 'paused', 'failed', 'submitted', 'removing'],
  removing: ['failed', 'submitted'],
  failed: ['submitted', 'removing'],
  succeeded: ['removing'],
  dead: ['removing'],
};

const terminal: ReadonlySet<RunStatusKind> = new Set(['succeeded', 'failed', 'dead']);

export function isTerminal(kind: RunStatusKind): boolean {
  return terminal.has(kind);
}

export function mayMove(from: RunStatusKind, to: RunStatusKind): boolean {
  return from === to || moves[from].includes(to);
}

/** A request that the run's present state does not allow. */
export class IllegalTransitionError extends RunyardError {
  readonly kind = 'conflict';

  constructor(runId: string, status: RunStatusKind, action: string) {
    super(`Run ${runId} is ${status}; it cannot be ${action}.`);
  }
}
