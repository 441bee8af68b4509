import type { HookEvent } from '#libs/settings';

/** A moment of a run at which its hooks are asked, or told. */
export interface Occasion {
  event: HookEvent;
  /** Names the moment on its path. Asked again, after a crash or a pause, it has the same name. */
  id: string;
  facts: OccasionFacts;
}

/** What hooks are told beyond the run itself; absent where nothing is known. Named as the payload names it. */
export interface OccasionFacts {
  node_id?: string;
  node_label?: string;
  handler_type?: string;
  status?: string;
  edge_from?: string;
  edge_to?: string;
  edge_label?: string;
  failure_reason?: string;
  stage_id?: string;
  attempt?: number;
  max_attempts?: number;
}

/** What one hook says. */
export type Decision =
  | { decision: 'proceed' }
  | { decision: 'skip'; reason?: string }
  | { decision: 'block'; reason: string }
  | { decision: 'override'; edge_to: string };

/** What comes of all hooks of a moment. A block names the hook that said it. */
export type Verdict = Exclude<Decision, { decision: 'block' }> | { decision: 'block'; reason: string; hook: string };

export const PROCEED: Decision & Verdict = { decision: 'proceed' };
