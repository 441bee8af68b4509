import { describe, expect, it } from '@jest/globals';
import { aRun } from '../../../../test/support/cli/samples.js';
import { exitCodes } from './exit-code.js';
import { matchRun } from './select-run.js';

const recent = [
  aRun('01K2ZP6Q8V9Y3T5N7M1R4S6X8C', { kind: 'running' }, 'review'),
  aRun('01K2ZP6Q8V9Y3T5N7M1R4S6X8B', { kind: 'running' }, 'deploy'),
  aRun('01K1AAAAAAAAAAAAAAAAAAAAAA', { kind: 'running' }, 'deploy'),
];

describe('matchRun', () => {
  it('takes @last for the newest', () => expect(matchRun('@last', recent)).toBe(recent[0]?.id));

  it('takes the beginning of one id, in either case', () => {
    expect(matchRun('01K1', recent)).toBe(recent[2]?.id);
    expect(matchRun('01k2zp6q8v9y3t5n7m1r4s6x8b', recent)).toBe(recent[1]?.id);
  });

  it('takes a workflow for its newest run', () => expect(matchRun('deploy', recent)).toBe(recent[1]?.id));

  it.each([
    ['the beginning of several ids', '01K2', recent, '01K2ZP6Q8V9Y3T5N7M1R4S6X8B'],
    ['something unknown', 'nope', recent, 'No run "nope"'],
    ['@last before the first run', '@last', [], 'no run yet'],
  ])('refuses %s as wrong use', (_, selector, runs, message) => {
    let refusal: unknown;
    try {
      matchRun(selector, runs);
    } catch (thrown) {
      refusal = thrown;
    }
    expect(refusal).toMatchObject({ exitCode: exitCodes.misuse });
    expect(String(refusal)).toContain(message);
  });
});
