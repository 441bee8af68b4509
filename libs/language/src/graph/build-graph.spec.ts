import { describe, expect, it } from '@jest/globals';
import { parse } from '../syntax/parse.js';
import { buildGraph } from './build-graph.js';
import { expand } from './expand.js';
import { type Graph, type Node } from './graph.js';

function graphOf(body: string): Graph {
  const { tree, diagnostics } = parse(`digraph W {${body}}`);
  expect(diagnostics).toEqual([]);
  return buildGraph(expand(tree!));
}

function nodeOf(body: string, id = 'n'): Node {
  return graphOf(body).nodes.find((node) => node.id === id)!;
}

/** `a:m1 b:m2`: the model of each node. */
function models(body: string): string {
  return graphOf(body)
    .nodes.map(({ id, rawAttributes }) => `${id}:${rawAttributes['model'] ?? ''}`)
    .join(' ');
}

describe('defaults', () => {
  it.each([
    ['node [model=m1]; a; node [model=m2]; b', 'a:m1 b:m2', 'reach what is written behind them'],
    ['a; node [model=m1]; a', 'a:', 'are taken when a node is first mentioned, and not again'],
    ['node [model=m1]; a -> b; node [model=m2]; a; b', 'a:m1 b:m1', 'are taken at the mention in an edge'],
    ['node [model=m1]; a [model=m3]; a [x=1]', 'a:m3', 'give way to what the node says'],
    ['node [model=m1]; subgraph { node [model=m2]; a }; b', 'a:m2 b:m1', 'do not leak out of a subgraph'],
    ['subgraph s { x; node [model=m1]; a; node [model=m2]; b }', 'x: a:m1 b:m2', 'are not hoisted in a subgraph'],
    ['node [model=m1]; subgraph { subgraph { a } }', 'a:m1', 'reach into subgraphs'],
  ])('%s → %s: %s', (body, expected) => {
    expect(models(body)).toBe(expected);
  });

  it('accumulate key by key', () => {
    expect(nodeOf('node [model=m1, provider=p]; node [model=m2]; n')).toMatchObject({ model: 'm2', provider: 'p' });
  });

  it('reach the edges behind them in the same block', () => {
    const { edges } = graphOf(
      'a->b; edge [weight=2]; b->c; c->d [weight=3]; subgraph { edge [weight=4]; d->e }; e->f; a;b;c;d;e;f',
    );
    expect(edges.map(({ weight }) => weight)).toEqual([0, 2, 3, 4, 2]);
  });
});

describe('edges', () => {
  const unconditional = { weight: 0, loopRestart: false, freeform: false };

  it('come from chains one by one, share attributes, and keep their order', () => {
    expect(graphOf('a; b; c; a -> b -> c [label=x]; a -> b').edges).toEqual([
      { from: 'a', to: 'b', label: 'x', ...unconditional, index: 0 },
      { from: 'b', to: 'c', label: 'x', ...unconditional, index: 1 },
      { from: 'a', to: 'b', ...unconditional, index: 2 },
    ]);
  });

  it('read every attribute they have', () => {
    const written =
      'label="[A] Go", condition="x=1", weight="2", fidelity=full, thread_id=t, loop_restart="true", freeform=true';
    expect(graphOf(`a; a -> a [${written}]`).edges).toEqual([
      {
        from: 'a',
        to: 'a',
        label: '[A] Go',
        condition: 'x=1',
        weight: 2,
        fidelity: 'full',
        threadId: 't',
        loopRestart: true,
        freeform: true,
        index: 0,
      },
    ]);
  });

  it('are unconditional when the condition is blank', () => {
    expect(graphOf('a; a -> a [condition=" "]').edges[0]).not.toHaveProperty('condition');
  });
});

describe('classes', () => {
  it.each([
    ['subgraph s { label="Code Review"; n }', ['code-review']],
    ['subgraph s { n; label="Phase 1: Build & Test" }', ['phase-1-build--test']],
    ['subgraph s { graph [label="One"]; label="Two"; n }', ['one']],
    ['subgraph s { label="!?"; n }', []],
    ['n; subgraph s { label="S"; n -> m }; m', ['s']],
    ['subgraph a { label="A"; subgraph b { label="B"; n } }', ['b']],
    ['subgraph a { label="A"; subgraph b { n } }', []],
    ['n [class="fast, slow  fast,,x"]', ['fast', 'slow', 'x']],
    ['subgraph s { label="S"; n [class="own"] }', ['s', 'own']],
  ])('%s', (body, classes) => {
    expect(nodeOf(body).classes).toEqual(classes);
  });
});

describe('graph attributes', () => {
  it('have defaults', () => {
    expect(graphOf('').attributes).toEqual({
      goal: '',
      modelStylesheet: '',
      defaultMaxRetries: 0,
      maxNodeVisits: 0,
      stallTimeoutMs: 1_800_000,
      loopRestartSignatureLimit: 3,
    });
  });

  it('are written in two ways, last write wins', () => {
    const body =
      'graph [goal="a", rankdir=LR] goal="b" stall_timeout=0 default_max_retries="2" max_node_visits=-1 loop_restart_signature_limit=0';
    expect(graphOf(body).attributes).toMatchObject({
      goal: 'b',
      rankdir: 'LR',
      stallTimeoutMs: 0,
      defaultMaxRetries: 2,
      maxNodeVisits: 0,
      loopRestartSignatureLimit: 3,
    });
  });

  it('may be written in a subgraph, but its label is not the graph’s', () => {
    expect(graphOf('label="Outer"; subgraph { label="Inner"; goal="g" }').attributes).toMatchObject({
      label: 'Outer',
      goal: 'g',
    });
  });

  it('are all kept raw, with durations in milliseconds, whatever their names', () => {
    const { rawAttributes } = graphOf(
      'stall_timeout="10m" owner="me" count=3 on=true pause=5m __proto__="x" constructor="y"',
    );
    expect(Object.entries(rawAttributes)).toEqual([
      ['stall_timeout', '600000ms'],
      ['owner', 'me'],
      ['count', 3],
      ['on', true],
      ['pause', '300000ms'],
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

describe('nodes', () => {
  const common = {
    id: 'n',
    label: 'n',
    classes: [],
    goalGate: false,
    autoStatus: false,
    allowPartial: false,
    selection: 'deterministic',
  };

  it('have the fields of their kind, with defaults', () => {
    expect(nodeOf('n [script="ls"]')).toEqual({
      ...common,
      kind: 'command',
      shape: 'parallelogram',
      script: 'ls',
      language: 'shell',
      timeoutMs: 600_000,
      rawAttributes: { script: 'ls' },
    });
  });

  it.each<[string, Partial<Record<string, unknown>>]>([
    ['label="5m"', { label: '5m' }],
    ['timeout="900s"', { timeoutMs: 900_000 }],
    ['max_retries=-1', { maxRetries: 0 }],
    ['max_visits=0', { maxVisits: 0 }],
    ['output_retries=-3', { outputRetries: 0 }],
    ['max_tokens=0', { kind: 'agent' }],
    [
      'goal_gate="true", auto_status=true, allow_partial=true',
      { goalGate: true, autoStatus: true, allowPartial: true },
    ],
    ['label="Do it"', { prompt: 'Do it' }],
    ['label="Do it", prompt=""', { prompt: 'Do it' }],
    ['', { outputRetries: 2, projectMemory: true, backend: { type: 'api' } }],
    ['backend=acp, acp.command="run"', { backend: { type: 'acp', start: 'command', command: 'run' } }],
    ['shape=component', { maxParallel: 4 }],
    ['shape=component, max_parallel=0, for_each=items', { maxParallel: 1, forEach: 'items' }],
    ['shape=insulator, duration=1h', { durationMs: 3_600_000 }],
    [
      'shape=house, stack.child_workflow="c.dot"',
      { child: { missing: 'c.dot' }, pollIntervalMs: 45_000, maxCycles: 1_000 },
    ],
    [
      'shape=house, stack.child_workflow="c.dot", stack.child_dot_source="digraph C {}", manager.max_cycles=0',
      { child: { missing: 'c.dot' }, maxCycles: 1 },
    ],
    [
      'shape=hexagon, human.default_choice=x',
      { questionType: 'multiple_choice', reviewTarget: false, defaultChoice: 'x' },
    ],
  ])('[%s]', (attributes, fields) => {
    expect(nodeOf(`n [${attributes}]`)).toMatchObject(fields);
  });

  it.each([
    ['n -> m', 'multiple_choice'],
    ['n -> m [freeform=true]', 'freeform'],
    ['n -> m [freeform=true]; n -> m', 'multiple_choice'],
  ])('a human gate with %s asks a %s question', (edges, questionType) => {
    expect(nodeOf(`n [shape=hexagon]; m; ${edges}`)).toMatchObject({ questionType });
  });

  it('are only those that are declared', () => {
    expect(graphOf('a; a -> b').nodes.map(({ id }) => id)).toEqual(['a']);
  });

  it('may be called like anything', () => {
    expect(graphOf('__proto__; constructor; toString').nodes.map(({ id }) => id)).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ]);
  });
});
