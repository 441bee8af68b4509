import { stamp, type FailureDetail, type RunFailureReason, type StampedEvent } from '#libs/events';

export const CANCELLED: FailureDetail = {
  message: 'The run was cancelled.',
  category: 'canceled',
  system_actor: 'engine',
};

const NO_TIME = { wall_time_ms: 0, inference_time_ms: 0, tool_time_ms: 0, active_time_ms: 0 };

/** The end of a run whose state cannot be read: what its stages came to, and how long they took, is unknown. */
export function endUnread(reason: RunFailureReason, detail: FailureDetail, nowMs: number): StampedEvent {
  return stamp({ event: 'run.failed', properties: { failure: { reason, detail }, timing: NO_TIME } }, nowMs);
}
