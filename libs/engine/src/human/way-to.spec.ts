import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aGate } from '../../../../test/support/a-gate.js';
import { pickHeaviest, selectEdge } from '../routing/select-edge.js';
import { choicesOf } from './options.js';
import { wayTo } from './way-to.js';

const ways = (...targets: string[]) => {
  const { edges } = aGate(targets);
  return choicesOf(edges).map((choice) => wayTo(choice, edges));
};

it('is the label of the choice, and where it leads', () => {
  expect(ways('ship [label="[A] Approve"]', 'exit')).toEqual([
    { preferredLabel: '[A] Approve', suggestedNextIds: ['ship'] },
    { preferredLabel: 'exit', suggestedNextIds: ['exit'] },
  ]);
});

it.each([
  ['another edge before it', ['ship [label="[A] Go"]', 'exit [label="[B] go"]'], 1],
  ['an edge that is called like its target', ['exit', 'ship [label=exit]'], 0],
  ['the edge for words', ['ship [label=Go, freeform=true]', 'exit [label=Go]'], 0],
])('is no label that is also that of %s', (_, targets, choice) => {
  expect(ways(...targets)[choice]).toEqual({ suggestedNextIds: ['exit'] });
});

it('may be a label that an edge with a condition has too, which no label leads along', () => {
  const [, plain] = ways('ship [label=Go, condition="context.x=1"]', 'exit [label=Go]');
  expect(plain).toEqual({ preferredLabel: 'Go', suggestedNextIds: ['exit'] });
});

it('leads where the person wanted to go, whatever the edges are called', () => {
  const label = fc.constantFrom('', ' [label=a]', ' [label=b]', ' [label="[x] A"]', ' [label=b, weight=9]');
  const target = fc.tuple(fc.constantFrom('a', 'b', 'c'), label).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(target, { minLength: 1, maxLength: 4 }), (targets) => {
      const { edges } = aGate(targets);
      for (const choice of choicesOf(edges)) {
        const directions = { ...wayTo(choice, edges), refusesFallThrough: false };
        expect(selectEdge(edges, () => false, directions, pickHeaviest)?.edge.to).toBe(choice.edge.to);
      }
    }),
  );
});
