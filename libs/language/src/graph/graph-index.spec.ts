import { describe, expect, it } from '@jest/globals';
import { compile } from '../compile.js';
import { GraphIndex } from './graph-index.js';

describe('GraphIndex', () => {
  const { graph } = compile('digraph W { start; __proto__ [label=p]; end; start -> __proto__ -> end; start -> end }');
  const index = new GraphIndex(graph!);

  it('finds nodes, and their edges in the order of declaration', () => {
    expect(index.node('__proto__')?.label).toBe('p');
    expect(index.node('constructor')).toBeUndefined();
    expect(index.outgoing('start').map(({ to }) => to)).toEqual(['__proto__', 'end']);
    expect(index.incoming('end').map(({ from }) => from)).toEqual(['__proto__', 'start']);
    expect(index.outgoing('end')).toEqual([]);
  });

  it('knows where a run starts and ends', () => {
    expect([index.start.id, index.exit.id]).toEqual(['start', 'end']);
  });
});
