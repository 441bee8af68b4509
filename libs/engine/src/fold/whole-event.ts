import type { EventOf, OutcomeStatus, StampedEvent, UnknownEvent } from '#libs/events';
import type { Json } from '#libs/kernel';
import { contextValue, wholeContext } from '../state/context.js';
import { cursorOf } from '../state/cursors.js';
import type { RunDefinition } from '../definition/run-definition.js';
import { MAIN_CURSOR, type RunState } from '../state/state.js';

/** Where a run stood at a checkpoint, with all that later stages may know. */
export interface WholeCheckpoint {
  completed_nodes: string[];
  node_outcomes: Record<string, OutcomeStatus>;
  /** How often the last stage of each node of the main path was tried again. */
  node_retries: Record<string, number>;
  node_visits: Record<string, number>;
  context_values: Record<string, Json>;
  loop_failure_signatures: Record<string, number>;
  restart_failure_signatures: Record<string, number>;
}

/** A run whose log was folded up to an event. */
interface Folded {
  definition: RunDefinition;
  state: RunState;
}

type BriefEvent = StampedEvent & (EventOf<'checkpoint.completed'> | EventOf<'parallel.completed'>);

/** Whether an event is stored without what follows from the log before it. */
export function isBrief(event: StampedEvent | UnknownEvent): event is BriefEvent {
  return event.event === 'checkpoint.completed' || event.event === 'parallel.completed';
}

/** What such an event is stored without. It is the last one that was folded. */
export function restOf(folded: Folded, event: BriefEvent): WholeCheckpoint | { results?: Json } {
  return event.event === 'checkpoint.completed' ? wholeCheckpoint(folded, event) : wholeResults(folded, event);
}

export function wholeCheckpoint(
  { definition, state }: Folded,
  { stage_id = '', properties: { current_node, status } }: EventOf<'checkpoint.completed'>,
): WholeCheckpoint {
  const main = state.cursors[MAIN_CURSOR]!;
  // The log has led the path on already; its context is shown as it was at this stage.
  const here = { ...main, position: { at: 'outcome', node: current_node, stageId: stage_id, status } as const };
  return {
    completed_nodes: Object.keys(state.outcomes),
    node_outcomes: { ...state.outcomes },
    node_retries: { ...main.retries },
    node_visits: { ...main.visits },
    context_values: wholeContext(definition, state, here),
    loop_failure_signatures: { ...main.signatures.failures },
    restart_failure_signatures: { ...main.signatures.restarts },
  };
}

/** The event has no room for all that many branches wrote, and older ones have none of it. */
function wholeResults({ definition, state }: Folded, event: EventOf<'parallel.completed'>): { results?: Json } {
  const cursor = cursorOf(state, event);
  const known = cursor && contextValue(definition, state, cursor, 'parallel.results');
  return Array.isArray(known) && known.length > 0 ? { results: known } : {};
}
