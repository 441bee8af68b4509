import { describe, expect, it } from '@jest/globals';
import { type StageStatus } from '#libs/events';
import { compile, type Graph } from '#libs/language';
import { pictureOf } from './picture.js';

function graphOf(statements: string): Graph {
  const { graph, diagnostics } = compile(
    `digraph Demo { start [shape=Mdiamond] exit [shape=Msquare] node [shape=parallelogram, script="true"] ${statements} }`,
  );
  if (!graph) throw new Error(JSON.stringify(diagnostics));
  return graph;
}

function drawn(statements: string, ...rest: [direction?: 'LR' | 'TB', states?: Map<string, StageStatus>]) {
  const { nodes = [], edges = [], graphAttributes } = pictureOf(graphOf(statements), ...rest);
  const node = (id: string) => nodes.find(({ name }) => name === id)!.attributes!;
  return { nodes, edges, graphAttributes, node };
}

describe('the picture of a graph', () => {
  it('shows the kind of every node by shape and colour, whatever shape was written', () => {
    const { node } = drawn('a gate [type=conditional, shape=ellipse] start -> a -> gate -> exit');
    expect(node('a')).toMatchObject({ shape: 'parallelogram', class: 'kind-command', id: 'node-a', penwidth: 1 });
    expect(node('gate')).toMatchObject({ shape: 'diamond', class: 'kind-conditional' });
    expect(node('a').fillcolor).not.toBe(node('gate').fillcolor);
  });

  it('writes the label on an edge, else its condition, and no weight', () => {
    const { edges } = drawn(
      'a start -> a a -> exit [label="Done", condition="outcome=succeeded"] a -> a [condition="outcome=failed"] a -> exit [weight=3]',
    );
    expect(edges.map(({ attributes }) => attributes!.label)).toEqual([
      undefined,
      ' Done ',
      ' outcome=failed ',
      undefined,
    ]);
  });

  it('dashes what starts over, dots where a goal that is not reached leads, and marks that goal', () => {
    const { node, edges } = drawn(
      'a b [goal_gate=true, retry_target=a] start -> a -> b -> exit b -> a [loop_restart=true, condition="outcome=failed"]',
    );
    expect(node('b').peripheries).toBe(2);
    expect(edges.map(({ tail, head, attributes }) => [tail, head, attributes!.style]).slice(3)).toEqual([
      ['b', 'a', 'dashed'],
      ['b', 'a', 'dotted'],
    ]);
  });

  it('draws nothing for a target that does not exist', () => {
    const { nodes, edges } = drawn('a [retry_target=gone] start -> a -> exit');
    expect([nodes.length, edges.length]).toEqual([3, 2]);
  });

  it('runs in the direction that was asked for, else in that of the workflow', () => {
    expect(drawn('start -> exit').graphAttributes).toMatchObject({ rankdir: 'TB' });
    expect(drawn('rankdir=LR start -> exit').graphAttributes).toMatchObject({ rankdir: 'LR' });
    expect(drawn('rankdir=LR start -> exit', 'TB').graphAttributes).toMatchObject({ rankdir: 'TB' });
  });
});

describe('the picture of a run', () => {
  const states = new Map<string, StageStatus>([
    ['start', 'succeeded'],
    ['a', 'failed'],
    ['b', 'running'],
  ]);

  it('shows the state of every node by colour and by a sign, and keeps its shape', () => {
    const { node } = drawn('a b start -> a -> b -> exit', undefined, states);
    expect(['start', 'a', 'b', 'exit'].map((id) => node(id).label)).toEqual(['✓ start', '✗ a', '▶ b', 'exit']);
    expect(node('a')).toMatchObject({ class: 'kind-command state-failed', shape: 'parallelogram', penwidth: 2 });
    expect(node('exit')).toMatchObject({ class: 'kind-exit state-pending', style: 'filled,dashed' });
    expect(new Set(['start', 'a', 'b', 'exit'].map((id) => node(id).fillcolor)).size).toBe(4);
  });
});
