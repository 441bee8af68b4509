import type { Principal, RunView, StampedEvent } from '#libs/events';
import type { RunId } from '#libs/kernel';
import type { NewRun } from '#libs/persistence';

/** A definition as the run that tries `source` again: under its present title and parent, made by whoever asked. */
export function retriedRun(definition: NewRun, source: RunView, runId: RunId, actor: Principal): NewRun {
  const parentId = source.parent_id;
  const born = (event: StampedEvent): StampedEvent => {
    if (event.event !== 'run.created') return event;
    const lineage = { retried_from: source.id, ...(parentId !== null && { parent_id: parentId }) };
    const properties = { ...event.properties, ...lineage, title: source.title, provenance: { subject: actor } };
    return { ...event, actor, properties };
  };
  return { ...definition, runId, parentId, events: definition.events.map(born) };
}
