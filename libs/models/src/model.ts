/** From the least to the most. */
export const REASONING_LEVELS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningLevel = (typeof REASONING_LEVELS)[number];

/** What a model can do, and what its requests must do without. */
export type Feature =
  | 'tools'
  | 'vision'
  | 'reasoning'
  | 'prompt_cache'
  /** Caches only as far as requests mark it. */
  | 'cache_breakpoints'
  /** Takes neither temperature nor top_p. */
  | 'fixed_sampling';

/** What a model is the choice for at its provider: when none is named, for titles and the like, for a test of the line. */
export type ModelRole = 'default' | 'small' | 'probe';

/** Which tools and memory files an agent works with. */
export type AgentProfile = 'anthropic' | 'claude-5' | 'openai' | 'gpt56' | 'gemini' | 'kimi';

/** How tokens become costs. */
export type BillingPolicy = 'openai' | 'anthropic' | 'gemini' | 'none';

/** A model as one provider offers it. Amounts are tokens. */
export interface Model {
  /** What authors write; several providers may offer the same. */
  slug: string;
  /** What they may write as well. */
  aliases?: readonly string[];
  /** What its provider calls it, where that is not the slug. */
  apiId?: string;
  roles?: readonly ModelRole[];
  contextWindow: number;
  maxOutput: number;
  features: readonly Feature[];
  /** Absent where requests cannot ask for an effort. */
  effort?: Effort;
  /** Absent where they are not known, which is not the same as nothing. */
  costs?: Costs;
  /** Other speeds than the standard one, with what they cost. */
  speeds?: { fast: Costs };
  /** Where it is not its provider's. */
  agentProfile?: AgentProfile;
  billingPolicy?: BillingPolicy;
}

/** How hard a model may be asked to think. */
export interface Effort {
  /** In the order of {@link REASONING_LEVELS}. */
  levels: readonly ReasoningLevel[];
  /** It always chooses its thinking itself, within the level. */
  isAdaptive?: boolean;
}

/** US dollars for a million tokens. */
export interface Costs {
  input: number;
  output: number;
  /** Absent where cached input has no known price. */
  cachedInput?: number;
}
