/** What anybody may hold of a process that serves HTTP, with a token or without. */
export interface HttpLimits {
  /** The head of a request is here by then, counted from its first byte, or from the connection for the first one. */
  readonly headMs: number;
  /** The whole request is here by then. How long its answer takes is not limited. */
  readonly requestMs: number;
  /** Connections at each place where it listens; more are closed at once. */
  readonly maxConnections: number;
  /** Event streams that one token has open. */
  readonly streamsPerToken: number;
  /** Wrong tokens that one address sends before it is told to wait. */
  readonly wrongTokensPerMinute: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  headMs: 10_000,
  requestMs: 30_000,
  maxConnections: 10_000,
  streamsPerToken: 20,
  wrongTokensPerMinute: 20,
};
