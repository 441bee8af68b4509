import type { RunDefinition } from '../run/definition.js';
import type { Occasion, OccasionFacts } from './occasion.js';

/** What a hook is told, as JSON. What is not known is absent. */
export interface HookPayload extends OccasionFacts {
  event: string;
  run_id: string;
  workflow_name: string;
  /** Where the run works; absent when it works nowhere yet. */
  cwd?: string;
}

export function payloadOf({ runId, name }: RunDefinition, { event, facts }: Occasion, cwd?: string): HookPayload {
  return { event, run_id: runId, workflow_name: name, ...(cwd !== undefined && { cwd }), ...facts };
}
