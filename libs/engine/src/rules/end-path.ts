import type { FailureDetail, RunFailureReason, Timing } from '#libs/events';
import { failureInBrief } from '../stage/in-brief.js';
import { closeOpenStages } from './close-stages.js';
import { endChild } from './end-child.js';
import { CANCELLED } from '../recovery/end-unread.js';
import { endBranch } from './fork.js';
import { MAIN_CURSOR } from '../state/state.js';
import type { WalkContext } from './walk-context.js';

/** This path is at its good end: the run, the sub-workflow or the branch is over. */
export function completePath(walk: WalkContext): void {
  const { cursor, state } = walk;
  const status = cursor.last?.status === 'partially_succeeded' ? 'partially_succeeded' : 'succeeded';
  if (cursor.branch) return endBranch(walk, status);
  if (cursor.host) return endChild(walk, status);
  const reason = status === 'succeeded' ? 'completed' : 'partial_success';
  walk.say({
    event: 'run.completed',
    properties: {
      timing: runTiming(walk),
      artifact_count: 0,
      status,
      reason,
      ...(state.billing && { billing: state.billing }),
    },
  });
}

/** The graph itself came to a bad end: it ends the sub-workflow it happened in, else the run. */
export function failPath(walk: WalkContext, message: string, rest: Partial<FailureDetail> = {}): void {
  const detail = failureInBrief({ message, category: 'deterministic', ...rest });
  const child = childAround(walk);
  if (child === undefined) return failRun(walk, 'workflow_error', detail);
  walk.on(child, () => {
    closeOpenStages(walk, child, detail);
    endChild(walk, 'failed', detail);
  });
}

export function failRun(walk: WalkContext, reason: RunFailureReason, failure: FailureDetail): void {
  const detail = failureInBrief(failure);
  closeOpenStages(walk, MAIN_CURSOR, detail);
  const { billing } = walk.state;
  const properties = { failure: { reason, detail }, timing: runTiming(walk), ...(billing && { billing }) };
  walk.say({ event: 'run.failed', properties });
}

export function cancelRun(walk: WalkContext): void {
  failRun(walk, 'cancelled', CANCELLED);
}

/** The innermost sub-workflow that this path is in. */
function childAround(walk: WalkContext): string | undefined {
  for (let path = walk.path; path !== MAIN_CURSOR;) {
    const { host, branch } = walk.state.cursors[path]!;
    if (!branch) return path;
    path = host?.cursor ?? MAIN_CURSOR;
  }
  return undefined;
}

function runTiming({ state, moment }: WalkContext): Timing {
  const { startedAt, toolTimeMs, inferenceTimeMs } = state;
  return {
    wall_time_ms: startedAt === null ? 0 : Math.max(0, moment.now - startedAt),
    inference_time_ms: inferenceTimeMs,
    tool_time_ms: toolTimeMs,
    active_time_ms: toolTimeMs + inferenceTimeMs,
  };
}
