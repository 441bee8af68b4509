/** What one hook says. */
export type HookReply =
  | { decision: 'proceed' }
  | { decision: 'skip'; reason?: string }
  | { decision: 'block'; reason: string }
  | { decision: 'override'; edge_to: string };

/** What comes of all hooks at one point. A block names the hook that said it. */
export type HookDecision =
  Exclude<HookReply, { decision: 'block' }> | { decision: 'block'; reason: string; hook: string };

export const PROCEED: HookReply & HookDecision = { decision: 'proceed' };
