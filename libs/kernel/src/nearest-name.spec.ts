import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.js';

describe('nearestName', () => {
  it.each([
    ['timeot', 'timeout'],
    ['Timeout', 'timeout'],
    ['goal_gat', 'goal_gate'],
    ['timeuot', 'timeout'],
    ['colour', undefined],
    ['x', undefined],
    ['x'.repeat(100_000), undefined],
  ])('%s → %s', (name, nearest) => {
    expect(nearestName(name, ['timeout', 'goal_gate', 'label'])).toBe(nearest);
  });
});
