import { describe, expect, it } from '@jest/globals';
import { aDefinition } from '../../../../test/support/a-run.js';
import { fidelityOf, threadOf } from './fidelity.js';

/** The edge start -> a, the node a, and their graph. */
function places(statements: string) {
  const { graph, index } = aDefinition(`${statements} -> a; a -> exit`).root;
  return { edge: index.outgoing('start')[0]!, node: index.node('a')!, graph };
}

describe('how much a model is told', () => {
  it.each([
    ['the edge', 'default_fidelity=full a [fidelity=truncate] edge [fidelity="summary:low"] start', 'summary:low'],
    ['else the node', 'default_fidelity=full a [fidelity=truncate] start', 'truncate'],
    ['else the graph', 'default_fidelity=full start', 'full'],
    ['else nobody', 'start', 'compact'],
  ])('is said by %s', (_, statements, expected) => {
    const { edge, node, graph } = places(statements);
    expect(fidelityOf(edge, node, graph, undefined)).toBe(expected);
  });

  it('is not said by an edge that was not taken', () => {
    const { node, graph } = places('edge [fidelity="summary:low"] start');
    expect(fidelityOf(undefined, node, graph, undefined)).toBe('compact');
  });
});

describe('the conversation that is gone on with', () => {
  it.each([
    ['the edge', 'default_thread=g a [thread_id=n, class=c] edge [thread_id=e] start', 'e'],
    ['else the node', 'default_thread=g a [thread_id=n, class=c] start', 'n'],
    ['else the graph', 'default_thread=g a [class=c] start', 'g'],
    ['else the first class', 'a [class="c,d"] start', 'c'],
    ['else where the walk came from', 'start', 'before'],
  ])('is that of %s', (_, statements, expected) => {
    const { edge, node, graph } = places(statements);
    expect(threadOf(edge, node, graph, 'before')).toBe(expected);
  });

  it('is a new one after a jump to a node that names none', () => {
    const { node, graph } = places('start');
    expect(threadOf(undefined, node, graph, undefined)).toBeNull();
  });
});
