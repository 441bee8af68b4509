import type { FailureDetail, RunFailureReason, Timing } from '#libs/events';
import { scopeOf } from './close-attempt.js';
import type { WalkContext } from './walk-context.js';

export function completeRun(walk: WalkContext): void {
  walk.say({
    event: 'run.completed',
    properties: { timing: runTiming(walk), artifact_count: 0, status: 'succeeded', reason: 'completed' },
  });
}

/** The graph itself came to a bad end. */
export function failWorkflow(walk: WalkContext, message: string, rest: Partial<FailureDetail> = {}): void {
  failRun(walk, 'workflow_error', { message, category: 'deterministic', ...rest });
}

export function failRun(walk: WalkContext, reason: RunFailureReason, detail: FailureDetail): void {
  closeOpenStage(walk, detail);
  walk.say({ event: 'run.failed', properties: { failure: { reason, detail }, timing: runTiming(walk) } });
}

export function cancelRun(walk: WalkContext): void {
  failRun(walk, 'cancelled', { message: 'The run was cancelled.', category: 'canceled', system_actor: 'engine' });
}

function closeOpenStage(walk: WalkContext, failure: FailureDetail): void {
  const { position } = walk.cursor;
  if (position.at !== 'stage') return;
  const { stage } = position;
  const wall_time_ms = Math.max(0, walk.moment.now - stage.startedAt);
  walk.say({
    event: 'stage.failed',
    ...scopeOf(walk, stage),
    properties: {
      index: stage.index,
      failure,
      will_retry: false,
      timing: { wall_time_ms, inference_time_ms: 0, tool_time_ms: 0, active_time_ms: 0 },
    },
  });
}

function runTiming(walk: WalkContext): Timing {
  const { startedAt, toolTimeMs } = walk.state;
  return {
    wall_time_ms: startedAt === null ? 0 : Math.max(0, walk.moment.now - startedAt),
    inference_time_ms: 0,
    tool_time_ms: toolTimeMs,
    active_time_ms: toolTimeMs,
  };
}
