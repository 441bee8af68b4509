import type { EventOf, Principal, RunEvent, StampedEvent } from '#libs/events';

type Created = EventOf<'run.created'>['properties'];

/** How every run begins; nobody is named where the caller says later who made it. */
export function submit(
  created: Created,
  actor: Principal | null,
  stamp: (event: RunEvent) => StampedEvent,
): StampedEvent[] {
  return [
    stamp({ event: 'run.created', ...(actor && { actor }), properties: created }),
    stamp({ event: 'run.submitted', properties: { definition_blob: created.spec_blob } }),
  ];
}

/** The beginning of a run that tries `source` again: under its present title and parent, made by whoever asked. */
export function retriedFrom(
  beginning: readonly StampedEvent[],
  source: { id: string; title: string; parent_id: string | null },
  actor: Principal,
): StampedEvent[] {
  const { id: retried_from, title, parent_id } = source;
  return madeFrom(beginning, { retried_from, ...(parent_id !== null && { parent_id }), title }, actor);
}

/** The beginning of a run that goes on from a checkpoint of another one. */
export function forkedFrom(
  beginning: readonly StampedEvent[],
  source: string,
  { seq, properties: { ordinal } }: EventOf<'checkpoint.completed'> & { seq: number },
  actor: Principal,
): StampedEvent[] {
  const fork_source_ref = { source_run_id: source, checkpoint_seq: seq, checkpoint_ordinal: ordinal };
  return madeFrom(beginning, { fork_source_ref }, actor);
}

function madeFrom(beginning: readonly StampedEvent[], ties: Partial<Created>, actor: Principal): StampedEvent[] {
  return beginning.map((event) => {
    if (event.event !== 'run.created') return event;
    return { ...event, actor, properties: { ...event.properties, ...ties, provenance: { subject: actor } } };
  });
}
