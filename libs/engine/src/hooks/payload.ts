import type { RunDefinition } from '../definition/run-definition.js';
import type { HookFacts, HookPoint } from '../definition/hook-point.js';

/** What a hook is told, as JSON. What is not known is absent. */
export interface HookPayload extends HookFacts {
  event: string;
  run_id: string;
  workflow_name: string;
  /** Where the run works; absent when it works nowhere yet. */
  cwd?: string;
}

export function payloadOf({ runId, name }: RunDefinition, { event, facts }: HookPoint, cwd?: string): HookPayload {
  return { event, run_id: runId, workflow_name: name, ...(cwd !== undefined && { cwd }), ...facts };
}
