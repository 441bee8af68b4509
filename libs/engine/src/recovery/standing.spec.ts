import { expect, it } from '@jest/globals';
import { standingAfter } from './standing.js';

it('trusts a run that lost a worker, suspects it after the second, and gives it up after the fourth', () => {
  expect([0, 1, 2, 3, 4, 5].map(standingAfter)).toEqual([
    'trusted',
    'trusted',
    'suspect',
    'last_chance',
    'poison',
    'poison',
  ]);
});
