import type { StampedEvent } from '#libs/events';
import type { HookPoint } from '../definition/hook-point.js';

/** What hooks are told when a run ends: how, and that its sandbox goes. Of a cancelled run they hear the latter only. */
export function pointsAtEnd(events: readonly StampedEvent[], hadSandbox: boolean): HookPoint[] {
  const cleanup: HookPoint = { event: 'sandbox_cleanup', id: 'end', facts: {} };
  return [...events.flatMap(pointOf), ...(hadSandbox ? [cleanup] : [])];
}

function pointOf({ event, properties }: StampedEvent): HookPoint[] {
  if (event === 'run.completed') return [{ event: 'run_complete', id: 'end', facts: { status: properties.status } }];
  if (event !== 'run.failed' || properties.failure.reason === 'cancelled') return [];
  const { reason, detail } = properties.failure;
  return [{ event: 'run_failed', id: 'end', facts: { status: reason, failure_reason: detail.message } }];
}
