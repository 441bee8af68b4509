import { describe, expect, it } from '@jest/globals';
import { readDecision } from './read-decision.js';

describe('the decision of a hook', () => {
  it.each([
    ['{"decision":"proceed"}', { decision: 'proceed' }],
    ['{"decision":"skip"}', { decision: 'skip' }],
    [' {"decision":"skip","reason":"done"}\n', { decision: 'skip', reason: 'done' }],
    ['{"decision":"block","reason":"frozen"}', { decision: 'block', reason: 'frozen' }],
    ['{"decision":"block","reason":3}', { decision: 'block', reason: 'it gave no reason' }],
    ['{"decision":"override","edge_to":"fix"}', { decision: 'override', edge_to: 'fix' }],
    ['checking...\nwarn: slow\n{"decision":"skip"}', { decision: 'skip' }],
    ['{\n "decision": "skip"\n}', { decision: 'skip' }],
    ['{"decision":"override"}', undefined],
    ['{"decision":"maybe"}', undefined],
    ['["block"]', undefined],
    ['block', undefined],
    ['', undefined],
  ])('%j is %j', (text, decision) => {
    expect(readDecision(text)).toEqual(decision);
  });
});
