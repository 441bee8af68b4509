import { describe, expect, it } from '@jest/globals';
import { chooseKind, kindOfShape, kindOfType } from './handler-kind.js';

describe('chooseKind', () => {
  const clues = { id: 'a', type: undefined, shape: undefined, hasScript: false };

  it.each([...kindOfShape])('shape %s → %s', (shape, kind) => {
    expect(chooseKind({ ...clues, shape })).toEqual({ kind, shape });
  });

  it.each([...kindOfType])('type %s → %s, whatever the shape', (type, kind) => {
    expect(chooseKind({ ...clues, type, shape: 'hexagon' }).kind).toBe(kind);
  });

  it.each([
    ['nothing said', {}, 'agent', 'box'],
    ['a script alone', { hasScript: true }, 'command', 'parallelogram'],
    ['a script and a shape', { hasScript: true, shape: 'box' }, 'agent', 'box'],
    ['an unknown type', { type: 'robot', shape: 'tab' }, 'prompt', 'tab'],
    ['an unknown shape', { shape: 'ellipse' }, 'agent', 'ellipse'],
    ['the id start', { id: 'start' }, 'start', 'box'],
    ['the id Start', { id: 'Start' }, 'start', 'box'],
    ['the id exit', { id: 'exit' }, 'exit', 'box'],
    ['the id End', { id: 'End' }, 'exit', 'box'],
    ['the id start in a graph of boxes', { id: 'start', shape: 'box' }, 'start', 'box'],
    ['the id end with a telling shape', { id: 'end', shape: 'hexagon' }, 'human', 'hexagon'],
    ['the id START', { id: 'START' }, 'agent', 'box'],
    ['a prototype member as a shape', { shape: 'constructor' }, 'agent', 'constructor'],
  ])('%s', (_, some, kind, shape) => {
    expect(chooseKind({ ...clues, ...some })).toEqual({ kind, shape });
  });
});
