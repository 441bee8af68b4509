/** The moments of a run at which its hooks are asked or told. */
export const HOOK_EVENTS = [
  'run_start',
  'run_complete',
  'run_failed',
  'stage_start',
  'stage_complete',
  'stage_failed',
  'stage_retrying',
  'edge_selected',
  'parallel_start',
  'parallel_complete',
  'sandbox_ready',
  'sandbox_cleanup',
  'checkpoint_saved',
  'pre_tool_use',
  'post_tool_use',
  'post_tool_use_failure',
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];
