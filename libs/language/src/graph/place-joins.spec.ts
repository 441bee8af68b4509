import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compile } from '../compile.js';
import { dominators } from './dominators.js';

/** `fork:join …` for every parallel node: those whose id begins with f. Ids that begin with j are fan-ins. */
function joins(edges: string): string {
  const ids = new Set(edges.match(/\w+/g));
  const shape = (id: string): string => {
    if (id.startsWith('f')) return 'shape=component';
    return id.startsWith('j') ? 'shape=tripleoctagon' : `label=${id}`;
  };
  const { graph, diagnostics } = compile(
    `digraph W { ${[...ids].map((id) => `${id} [${id === 'start' || id === 'exit' ? '' : shape(id)}]`).join('\n')} ${edges} }`,
  );
  if (!graph) return diagnostics.map(({ rule, nodeId }) => `${rule} ${nodeId}`).join(' ');
  return graph.nodes.flatMap((node) => (node.kind === 'parallel' ? [`${node.id}:${node.join}`] : [])).join(' ');
}

describe('placeJoins', () => {
  it.each([
    ['the fan-in of all branches', 'start -> f -> a -> j -> exit; f -> b -> j', 'f:j'],
    ['the fan-in behind the node where they meet', 'start -> f -> a -> x -> j -> exit; f -> b -> x', 'f:j'],
    ['where they meet, without a fan-in', 'start -> f -> a -> x -> exit; f -> b -> x', 'f:x'],
    ['the fan-in, when a branch is empty', 'start -> f -> a -> j -> exit; f -> j', 'f:j'],
    ['where a branch loops', 'start -> f -> a -> a -> j -> exit; f -> b -> j', 'f:j'],
    ['behind the only branch', 'start -> f -> a -> x -> exit', 'f:x'],
    ['the fan-in of the only branch', 'start -> f -> a -> x -> j -> exit', 'f:j'],
    [
      'each its own, one inside the other',
      'start -> f1 -> f2 -> a -> j2 -> j1 -> exit; f2 -> b -> j2; f1 -> c -> j1',
      'f1:j1 f2:j2',
    ],
    [
      'no fan-in of a later fork',
      'start -> f1 -> a -> x -> f2 -> c -> j -> exit; f1 -> b -> x; f2 -> d -> j',
      'f1:x f2:j',
    ],
    ['two of a kind', 'start -> f -> a -> j -> exit; f -> a', 'f:j'],
  ])('%s', (_, edges, expected) => {
    expect(joins(edges)).toBe(expected);
  });

  it.each([
    ['branches that meet at the exit only', 'start -> f -> a -> exit; f -> b -> exit'],
    ['a branch that may leave past the join', 'start -> f -> a -> j -> exit; f -> b -> j; a -> exit'],
  ])('nothing for %s', (_, edges) => {
    expect(joins(edges)).toContain('parallel_join f');
  });
});

describe('dominators', () => {
  const size = 8;
  const graphs = fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 20 });

  /** By definition: `d` dominates `v` when nothing reaches `v` without it. */
  function reached(edges: readonly [number, number][], without?: number): Set<number> {
    const seen = new Set<number>(without === 0 ? [] : [0]);
    for (const node of seen) {
      for (const [from, to] of edges) if (from === node && to !== without) seen.add(to);
    }
    return seen;
  }

  it('are what the definition says', () => {
    fc.assert(
      fc.property(graphs, (edges) => {
        const targets = Array.from({ length: size }, (_, node) =>
          edges.filter(([from]) => from === node).map(([, to]) => to),
        );
        const origins = Array.from({ length: size }, (_, node) =>
          edges.filter(([, to]) => to === node).map(([from]) => from),
        );
        const { parents } = dominators(0, targets, origins);
        const all = reached(edges);
        for (let node = 0; node < size; node++) {
          const strict = [...all].filter(
            (other) => other !== node && all.has(node) && !reached(edges, other).has(node),
          );
          // The immediate one is dominated by all others.
          const immediate = strict.find((one) =>
            strict.every((other) => one === other || !reached(edges, other).has(one)),
          );
          expect(parents[node]).toBe(immediate ?? -1);
        }
      }),
      { numRuns: 300 },
    );
  });
});
