import { describe, expect, it } from '@jest/globals';
import { compile, type Compilation } from '../compile.js';

const review = `digraph Review {
  start; exit
  read [prompt="@read.md", retry_target=judge]
  judge [shape=tab, prompt="Judge", model=own, class="strict"]
  start -> read -> judge -> exit
  judge -> read [condition="outcome=failed"]
}`;

const files = {
  'parts/review.dot': review,
  'parts/read.md': 'Read {it}.',
  'parts/nested.dot': 'digraph N { start; exit; inner [import="review.dot"]; start -> inner -> exit }',
  'parts/empty.dot': 'digraph E { start; exit; start -> exit }',
  'parts/circle.dot': 'digraph C { start; exit; c [import="circle.dot"]; start -> c -> exit }',
  'parts/broken.dot': 'digraph B { start; exit; a [label=]; b ->  }',
  'parts/two-ways.dot': 'digraph T { start; exit; a [label=A]; b [label=B]; start -> a -> exit; start -> b -> exit }',
  'parts/condition.dot': 'digraph C { start; exit; a [label=A]; start -> a; a -> exit [condition="outcome=failed"] }',
  'parts/headless.dot': 'digraph H { exit; a [label=A]; a -> exit }',
};

function compiled(body: string): Compilation {
  return compile(`digraph W { start; exit; ${body} }`, { path: 'main.dot', files: new Map(Object.entries(files)) });
}

function errors(body: string): string[] {
  return compiled(body).diagnostics.flatMap(({ rule, severity, message, path, range }) =>
    severity === 'error' ? [`${path}:${range.start.line} ${rule} ${message}`] : [],
  );
}

describe('an import', () => {
  // start -> r.read -> r.judge -> after -> exit, and r.judge -failed-> r.read
  it('puts the nodes of another workflow in the place of its placeholder', () => {
    const { graph, diagnostics } = compiled(
      'r [import="parts/review.dot"]; after [label=A]; start -> r [label=go]; r -> after [weight=3]; after -> exit',
    );
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(graph?.nodes.map(({ id }) => id)).toEqual(['start', 'exit', 'r.read', 'r.judge', 'after']);
    expect(
      graph?.edges.map(({ from, to, label, weight, condition }) => [from, to, label ?? condition, weight]),
    ).toEqual([
      ['start', 'r.read', 'go', 0],
      ['r.judge', 'after', undefined, 3],
      ['after', 'exit', undefined, 0],
      ['r.read', 'r.judge', undefined, 0],
      ['r.judge', 'r.read', 'outcome=failed', 0],
    ]);
    expect(graph?.nodes.find(({ id }) => id === 'r.read')).toMatchObject({
      prompt: 'Read {it}.',
      retryTarget: 'r.judge',
      classes: ['r'],
    });
  });

  it('gives defaults and classes, and takes nothing from a node that says it itself', () => {
    const { graph } = compiled(
      'My_Part [import="parts/review.dot", model=given, max_retries=2, class="x y"]; start -> My_Part -> exit',
    );
    const [, , read, judge] = graph!.nodes;
    expect(read).toMatchObject({ id: 'My_Part.read', model: 'given', maxRetries: 2, classes: ['x', 'y', 'mypart'] });
    expect(judge).toMatchObject({ id: 'My_Part.judge', model: 'own', classes: ['strict', 'x', 'y', 'mypart'] });
  });

  it('takes allowed defaults of its surroundings, and drops the others', () => {
    const { graph } = compiled('node [model=m, timeout=5m]; r [import="parts/review.dot"]; start -> r -> exit');
    expect(graph?.nodes.find(({ id }) => id === 'r.read')).toMatchObject({ model: 'm' });
    expect(graph?.nodes.find(({ id }) => id === 'r.read')).not.toHaveProperty('timeoutMs');
  });

  it('may be nested, and used twice', () => {
    const { graph } = compiled('a [import="parts/nested.dot"]; b [import="parts/nested.dot"]; start -> a -> b -> exit');
    expect(graph?.nodes.map(({ id }) => id)).toEqual([
      'start',
      'exit',
      'a.inner.read',
      'a.inner.judge',
      'b.inner.read',
      'b.inner.judge',
    ]);
    expect(graph?.edges).toContainEqual(expect.objectContaining({ from: 'a.inner.judge', to: 'b.inner.read' }));
  });

  it('is where retry targets and default choices that named it lead', () => {
    const { graph } = compiled(
      'retry_target=r; r [import="parts/review.dot"]; h [shape=hexagon, human.default_choice=r]; start -> h -> r -> exit',
    );
    expect(graph?.attributes.retryTarget).toBe('r.read');
    expect(graph?.nodes.find(({ id }) => id === 'h')).toMatchObject({ defaultChoice: 'r.read' });
  });

  // a -> e -> b and a -> e -> c
  it('that is empty is bypassed', () => {
    const { graph } = compiled(
      'a [label=A]; b [label=B]; c [label=C]; e [import="parts/empty.dot"]; start -> a -> e; e -> b; e -> c; b -> exit; c -> exit',
    );
    expect(graph?.edges.map(({ from, to }) => `${from} -> ${to}`)).toEqual([
      'start -> a',
      'a -> b',
      'a -> c',
      'b -> exit',
      'c -> exit',
    ]);
  });

  it.each([
    ['r [import="parts/review.dot", timeout=5m]; start -> r -> exit', 'has unsupported attribute "timeout"'],
    ['r [import="parts/none.dot"]; start -> r -> exit', '"parts/none.dot", which is missing'],
    ['r [import="../x.dot"]; start -> r -> exit', 'lies outside'],
    [
      'r [import="parts/circle.dot"]; start -> r -> exit',
      'circular import detected: parts/circle.dot -> parts/circle.dot',
    ],
    ['r [import="main.dot"]; start -> r -> exit', 'circular import detected: main.dot -> main.dot'],
    ['r [import="parts/two-ways.dot"]; start -> r -> exit', 'must have exactly one edge out of its start'],
    ['r [import="parts/condition.dot"]; start -> r -> exit', 'this one has condition'],
    ['r [import="parts/headless.dot"]; start -> r -> exit', 'must have exactly one start node'],
    ['r [import="parts/review.dot"]; start -> r -> exit; r -> r', 'has an edge to itself'],
    ['e [import="parts/empty.dot"]; start -> e -> exit; e -> e', 'has an edge to itself'],
    ['e [import="parts/empty.dot"]; start -> e -> exit [label=x]', 'its label would be lost'],
  ])('is refused: %s', (body, says) => {
    expect(errors(body)).toContainEqual(expect.stringContaining(says));
  });

  it('reports what is wrong with the file, in the file', () => {
    expect(errors('r [import="parts/broken.dot"]; start -> r -> exit')).toEqual([
      expect.stringMatching(/^parts\/broken\.dot:1 syntax /),
      expect.stringMatching(/^parts\/broken\.dot:1 syntax /),
      expect.stringMatching(/^main\.dot:1 import_error .* cannot be imported/),
    ]);
  });

  it.each([
    [30, ['graph_size']],
    [13, ['graph_size']],
    [10, []],
  ])('of files that each double the next, %i of them, ends with %j', (levels, rules) => {
    const level = (next: string): string =>
      `digraph L { start; exit; a [import="${next}"]; b [import="${next}"]; start -> a -> b -> exit }`;
    const files = new Map(Array.from({ length: levels }, (_, at) => [`${at}.dot`, level(`${at + 1}.dot`)]));
    files.set(`${levels}.dot`, 'digraph L { start; exit; a [label=A, prompt=P]; start -> a -> exit }');
    const { graph, diagnostics } = compile(level('0.dot'), { path: 'main.dot', files });
    expect(diagnostics.map(({ rule }) => rule)).toEqual(rules);
    expect(graph?.nodes.length).toBe(rules.length === 0 ? 2 ** (levels + 1) + 2 : undefined);
    if (rules.length > 0) expect(diagnostics[0]!.message).toContain('more than 10000 nodes');
  });
});
