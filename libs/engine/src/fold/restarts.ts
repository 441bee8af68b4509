import type { EventOf } from '#libs/events';
import { held, hold } from '../state/by-name.js';
import { cursorOf } from '../state/cursors.js';
import { MAIN_CURSOR, newCursor, type ResumePoint, type RunState } from '../state/state.js';

/** Everything of the path is forgotten but the visits; a repeated restart for the same failure is counted. */
export function restart(state: RunState, event: EventOf<'loop.restart'> & { ts: string }): void {
  const old = cursorOf(state, event);
  if (!old) return;
  const { restarts } = old.signatures;
  const signature = old.last?.failureSignature;
  if (signature !== undefined) hold(restarts, signature, (held(restarts, signature) ?? 0) + 1);
  const fresh = newCursor(event.properties.to_node, old.startedAt);
  Object.assign(old, {
    ...fresh,
    workflow: old.workflow,
    visits: old.visits,
    signatures: old.signatures,
    steps: old.steps,
  });
  if (!old.branch) forgetOutcomes(state, old.workflow);
}

/** A graph that is walked anew knows no outcome of its nodes, which begin with this. */
export function forgetOutcomes({ outcomes, failures }: RunState, prefix: string): void {
  for (const record of [outcomes, failures]) {
    for (const node in record) if (node.startsWith(prefix)) delete record[node];
  }
}

/**
 * A run with a checkpoint goes on where that leads (a failed one that is resumed, or a fork). What was entered since is
 * executed again and does not count as a visit.
 */
export function resume(state: RunState, nowMs: number, { node, entered, stages }: ResumePoint): void {
  const main = state.cursors[MAIN_CURSOR]!;
  for (const each of entered) hold(main.visits, each, Math.max(0, (held(main.visits, each) ?? 0) - 1));
  state.cursors = { [MAIN_CURSOR]: { ...main, position: { at: 'node', node }, arrivedBy: null, startedAt: nowMs } };
  state.resumeAt = { node, entered: [], stages: {} };
  state.givenUp = stages;
  state.phase = 'created';
  state.resumes++;
  state.cancelRequested = false;
  state.pause = 'none';
  state.blocked = false;
}
