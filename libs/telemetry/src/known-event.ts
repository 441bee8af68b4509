import type { EventEnvelope, StampedEvent } from '#libs/events';

/** A stored event of a kind that this version knows. */
export type KnownEvent = StampedEvent & Pick<EventEnvelope, 'seq' | 'run_id'>;
