import type { StampedEvent } from '#libs/events';
import type { Occasion } from './occasion.js';

/** What hooks are told when a run ends: how, and that its sandbox goes. Of a cancelled run they hear the latter only. */
export function occasionsOfEnd(events: readonly StampedEvent[], hadSandbox: boolean): Occasion[] {
  const cleanup: Occasion = { event: 'sandbox_cleanup', id: 'end', facts: {} };
  return [...events.flatMap(occasionOf), ...(hadSandbox ? [cleanup] : [])];
}

function occasionOf({ event, properties }: StampedEvent): Occasion[] {
  if (event === 'run.completed') return [{ event: 'run_complete', id: 'end', facts: { status: properties.status } }];
  if (event !== 'run.failed' || properties.failure.reason === 'cancelled') return [];
  const { reason, detail } = properties.failure;
  return [{ event: 'run_failed', id: 'end', facts: { status: reason, failure_reason: detail.message } }];
}
