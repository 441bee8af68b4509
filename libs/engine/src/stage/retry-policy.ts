import type { HandlerKind, RetryPolicyName } from '#libs/language';

/** How often a stage is tried, and how long it rests in between. */
export interface RetryPolicy {
  attempts: number;
  firstDelayMs: number;
  factor: number;
}

const presets: Readonly<Record<RetryPolicyName, RetryPolicy>> = {
  none: { attempts: 1, firstDelayMs: 0, factor: 1 },
  standard: { attempts: 5, firstDelayMs: 5_000, factor: 2 },
  aggressive: { attempts: 5, firstDelayMs: 500, factor: 2 },
  linear: { attempts: 3, firstDelayMs: 500, factor: 1 },
  patient: { attempts: 3, firstDelayMs: 2_000, factor: 3 },
};

const MAX_DELAY_MS = 60_000;

/** They only decide: nothing about them can fail and then pass. */
const TRIED_ONCE: ReadonlySet<HandlerKind> = new Set(['start', 'exit', 'conditional', 'parallel']);

/** A preset by its name; else `max_retries` of the node, then of the graph. */
export function retryPolicyOf(
  node: { kind: HandlerKind; retryPolicy?: RetryPolicyName; maxRetries?: number },
  graphMaxRetries: number,
): RetryPolicy {
  if (TRIED_ONCE.has(node.kind)) return presets.none;
  if (node.retryPolicy !== undefined) return presets[node.retryPolicy];
  return { attempts: Math.max(1, (node.maxRetries ?? graphMaxRetries) + 1), firstDelayMs: 5_000, factor: 2 };
}

/**
 * The rest after attempt `attempt` (1-based): exponential, at most a minute, then spread by `random` in [0, 1) over
 * half to one and a half of it, so that runs that failed together do not come back together.
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, random: number): number {
  const delay = Math.min(policy.firstDelayMs * policy.factor ** (attempt - 1), MAX_DELAY_MS);
  return Math.round(delay * (0.5 + random));
}
