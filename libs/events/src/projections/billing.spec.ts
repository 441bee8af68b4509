import { expect, it } from '@jest/globals';
import { addBilling, addTiming, NO_TIME, NO_TOKENS, withCall } from './billing.js';

it.each([
  [null, null, null],
  [null, 5, 5],
  [5, null, 5],
  [0, null, 0],
  [2, 3, 5],
])('a cost of %p and one of %p are %p: unknown is not nothing', (a, b, sum) => {
  const cost = (total_usd_micros: number | null) => ({ ...NO_TOKENS, total_usd_micros });
  expect(addBilling(cost(a), cost(b)).total_usd_micros).toBe(sum);
});

it('tokens are summed kind by kind', () => {
  const one = { ...NO_TOKENS, input_tokens: 1, output_tokens: 2, total_tokens: 3, reasoning_tokens: 4 };
  const two = { ...NO_TOKENS, input_tokens: 10, cache_read_tokens: 20, cache_write_tokens: 30, total_tokens: 60 };
  expect(addBilling(one, two)).toEqual({
    input_tokens: 11,
    output_tokens: 2,
    total_tokens: 63,
    reasoning_tokens: 4,
    cache_read_tokens: 20,
    cache_write_tokens: 30,
    total_usd_micros: null,
  });
});

it('a call is added to its bill, unless it is the copy of one that was paid', () => {
  const billing = { ...NO_TOKENS, input_tokens: 1, total_tokens: 1, total_usd_micros: 0 };
  const call = { event: 'prompt.completed', properties: { response: '', model: 'm', provider: 'p', billing } } as const;
  expect(withCall(null, call)).toEqual(billing);
  expect(withCall(billing, call).total_tokens).toBe(2);
  expect(withCall(null, { ...call, origin: { run_id: 'R', seq: 1 } })).toBeNull();
});

it('times are summed part by part', () => {
  const time = { wall_time_ms: 10, inference_time_ms: 3, tool_time_ms: 4, active_time_ms: 7 };
  expect(addTiming(time, NO_TIME)).toEqual(time);
  expect(addTiming(time, time)).toEqual({
    wall_time_ms: 20,
    inference_time_ms: 6,
    tool_time_ms: 8,
    active_time_ms: 14,
  });
});
