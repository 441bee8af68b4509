import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Edge } from '#libs/language';
import { aDefinition } from '../../../../test/support/a-run.js';
import { pickByChance, pickHeaviest, selectEdge, type Directions } from './select-edge.js';

/** The edges that leave `a`. */
function edges(...statements: string[]): readonly Edge[] {
  return aDefinition(`start -> a; ${statements.join('; ')}; a -> exit`)
    .index.outgoing('a')
    .slice(0, statements.length);
}

const nothing: Directions = { refusesFallThrough: false };
const select = (from: readonly Edge[], directions: Partial<Directions> = {}, holds = false) => {
  const selected = selectEdge(from, () => holds, { ...nothing, ...directions }, pickHeaviest);
  return selected && `${selected.edge.to}, ${selected.reason}`;
};

describe('selectEdge', () => {
  // a -x-> b (holds) ; a -yes-> c, heavy ; a -> d
  const all = edges('a -> b [condition="context.x=1"]', 'a -> c [label=Yes, weight=9]', 'a -> d');

  it('prefers a condition that holds to every label, suggestion and weight', () => {
    expect(select(all, { preferredLabel: 'yes', suggestedNextIds: ['d'] }, true)).toBe('b, condition');
  });

  it('then the preferred label, then a suggestion, then what is left', () => {
    expect(select(all, { preferredLabel: 'yes', suggestedNextIds: ['d'] })).toBe('c, preferred_label');
    expect(select(all, { preferredLabel: 'no', suggestedNextIds: ['d'] })).toBe('d, suggested_next');
    expect(select(all, { suggestedNextIds: ['nowhere'] })).toBe('c, unconditional');
    expect(select(all)).toBe('c, unconditional');
  });

  it('never takes an edge with a condition for its label, or for its target', () => {
    const from = edges('a -> b [condition="context.x=1", label=Yes]', 'a -> c');
    expect(select(from, { preferredLabel: 'Yes' })).toBe('c, unconditional');
    expect(select(from, { suggestedNextIds: ['b'] })).toBe('c, unconditional');
  });

  it('takes the first of two edges with the same label, whatever their weight', () => {
    const from = edges('a -> b [label="[Y] Yes"]', 'a -> c [label="Y) yes", weight=5]');
    expect(select(from, { preferredLabel: 'YES' })).toBe('b, preferred_label');
  });

  it('finds no way on where every edge has a condition that does not hold', () => {
    expect(select([])).toBeUndefined();
    expect(select(edges('a -> b [condition="context.x=1"]'))).toBeUndefined();
  });

  it('does not let a failed gate that names no way fall through', () => {
    const from = edges('a -> b', 'a -> c [label=No]');
    expect(select(from, { refusesFallThrough: true })).toBeUndefined();
    expect(select(from, { refusesFallThrough: true, preferredLabel: 'no' })).toBe('c, preferred_label');
    expect(select(from, { refusesFallThrough: true, suggestedNextIds: ['b'] })).toBe('b, suggested_next');
  });
});

describe('pickHeaviest', () => {
  it.each([
    [['a -> z [weight=1]', 'a -> b', 'a -> c'], 'z'],
    [['a -> z', 'a -> c', 'a -> b'], 'b'],
    [['a -> b', 'a -> B'], 'B'],
    [['a -> b [weight=-1]', 'a -> z'], 'z'],
  ])('of %j takes %s', (statements, to) => {
    expect(pickHeaviest(edges(...statements)).to).toBe(to);
  });

  it('takes the first declared of edges that are otherwise equal', () => {
    const [first, second] = edges('a -> b [label=one]', 'a -> b [label=two]');
    expect(pickHeaviest([first!, second!])).toBe(first);
  });
});

describe('pickByChance', () => {
  const from = edges('a -> b [weight=3]', 'a -> c [weight=0]', 'a -> d [weight=-2]');

  it.each([
    [0, 'b'],
    [0.59, 'b'],
    [0.61, 'c'],
    [0.79, 'c'],
    [0.81, 'd'],
    [0.999999, 'd'],
  ])('shares the dice out by weight, which is at least 1: %d falls to %s', (random, to) => {
    expect(pickByChance(random)(from).to).toBe(to);
  });

  it('always takes one of the candidates', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
        expect(from).toContain(pickByChance(random)(from));
      }),
    );
  });
});
