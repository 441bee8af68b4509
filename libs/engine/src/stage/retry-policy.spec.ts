import { describe, expect, it } from '@jest/globals';
import { retryDelayMs, retryPolicyOf } from './retry-policy.js';

/** The rests between all attempts, without their spread. */
function rests(node: Omit<Parameters<typeof retryPolicyOf>[0], 'kind'>, graphMaxRetries = 0): number[] {
  const policy = retryPolicyOf({ kind: 'command', ...node }, graphMaxRetries);
  return Array.from({ length: policy.attempts - 1 }, (_, n) => retryDelayMs(policy, n + 1, 0.5));
}

describe('a retry policy', () => {
  it.each([
    ['none', []],
    ['standard', [5_000, 10_000, 20_000, 40_000]],
    ['aggressive', [500, 1_000, 2_000, 4_000]],
    ['linear', [500, 500]],
    ['patient', [2_000, 6_000]],
  ] as const)('%s rests %j ms', (retryPolicy, expected) => {
    expect(rests({ retryPolicy })).toEqual(expected);
  });

  it('wins over the number of retries', () => {
    expect(rests({ retryPolicy: 'none', maxRetries: 3 }, 5)).toEqual([]);
  });

  it('is otherwise that number, of the node or else of the graph', () => {
    expect(rests({ maxRetries: 2 }, 5)).toEqual([5_000, 10_000]);
    expect(rests({ maxRetries: 0 }, 5)).toEqual([]);
    expect(rests({}, 1)).toEqual([5_000]);
    expect(rests({})).toEqual([]);
    expect(rests({ maxRetries: -3 })).toEqual([]);
  });

  it('rests a minute at most, and then half to one and a half of it', () => {
    const policy = retryPolicyOf({ kind: 'command', maxRetries: 2_000 }, 0);
    expect([0, 0.5, 0.999].map((random) => retryDelayMs(policy, 9, random))).toEqual([30_000, 60_000, 89_940]);
    expect(retryDelayMs(policy, 2_000, 0.5)).toBe(60_000);
  });
});
