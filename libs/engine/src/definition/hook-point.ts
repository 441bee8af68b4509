import type { HookEvent } from '#libs/settings';

/** A moment of a run at which its hooks are asked, or told. */
export interface HookPoint {
  event: HookEvent;
  /** Names the moment on its path. Asked again, after a crash or a pause, it has the same name. */
  id: string;
  facts: HookFacts;
}

/** What hooks are told beyond the run itself; absent where nothing is known. Named as the payload names it. */
export interface HookFacts {
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
