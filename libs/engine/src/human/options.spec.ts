import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aGate } from '../../../../test/support/a-gate.js';
import { choicesOf, freeformEdge } from './options.js';

const keys = (...labels: string[]): string[] => {
  const [edge] = aGate(['exit']).edges;
  return choicesOf(labels.map((label) => ({ ...edge!, label }))).map(({ option }) => option.key);
};

describe('choicesOf', () => {
  it('gives the edges that take no free text, in their order, called like their targets where they have no label', () => {
    const { edges } = aGate(['ship [label="[S] Ship it"]', 'exit [label=Say, freeform=true]', 'exit']);
    expect(choicesOf(edges)).toEqual([
      { option: { key: 'S', label: '[S] Ship it' }, edge: edges[0] },
      { option: { key: 'e', label: 'exit' }, edge: edges[2] },
    ]);
  });

  it('numbers a key that an earlier option has; case tells keys apart', () => {
    expect(keys('Retry', 'Reject', '[R2] Again', 'rest', 'Rework')).toEqual(['R', 'R2', 'R22', 'r', 'R3']);
  });

  it('gives every option a key of its own', () => {
    const label = fc.oneof(fc.string(), fc.constantFrom('R', 'R2', '[R2] x', 'R22', '2', ''));
    fc.assert(
      fc.property(fc.array(label, { maxLength: 12 }), (labels) => {
        expect(new Set(keys(...labels)).size).toBe(labels.length);
      }),
    );
  });
});

it('free text takes the last edge that is for it', () => {
  const [plain, freeform] = aGate(['exit', 'ship [freeform=true]']).edges;
  const last = { ...freeform! };
  expect(freeformEdge([freeform!, last, plain!])).toBe(last);
  expect(freeformEdge([plain!])).toBeUndefined();
});
