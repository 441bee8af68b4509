import type { EventOf } from '../envelope.js';
import type { TokenBilling, Timing } from '../shapes.js';

export const NO_TOKENS: Readonly<TokenBilling> = Object.freeze({
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  reasoning_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  total_usd_micros: null,
});

export const NO_TIME: Readonly<Timing> = Object.freeze({
  wall_time_ms: 0,
  inference_time_ms: 0,
  tool_time_ms: 0,
  active_time_ms: 0,
});

/** Sums token counts; the cost is `null` only while no part had one. */
export function addBilling(a: TokenBilling, b: TokenBilling): TokenBilling {
  const cost = a.total_usd_micros ?? b.total_usd_micros ?? null;
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    total_usd_micros: cost === null ? null : (a.total_usd_micros ?? 0) + (b.total_usd_micros ?? 0),
  };
}

/**
 * A bill with one more call of a model in it. A call is billed once, by the event that holds its answer: the end of an
 * attempt only sums its calls up, and an attempt that was lost has no end. What a fork copied was paid by its source.
 */
export function withCall<Bill extends TokenBilling | null>(
  bill: Bill,
  { properties, origin }: EventOf<'agent.message' | 'prompt.completed'>,
): Bill | TokenBilling {
  if (origin) return bill;
  return bill ? addBilling(bill, properties.billing) : properties.billing;
}

export function addTiming(a: Timing, b: Timing): Timing {
  return {
    wall_time_ms: a.wall_time_ms + b.wall_time_ms,
    inference_time_ms: a.inference_time_ms + b.inference_time_ms,
    tool_time_ms: a.tool_time_ms + b.tool_time_ms,
    active_time_ms: a.active_time_ms + b.active_time_ms,
  };
}
