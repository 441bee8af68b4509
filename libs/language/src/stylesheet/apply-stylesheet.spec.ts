import { describe, expect, it } from '@jest/globals';
import { compile, type Compilation, type CompileOptions } from '../compile.js';

const source = (sheet: string, body: string) =>
  `digraph W { model_stylesheet=${JSON.stringify(sheet)} start; exit; ${body} start -> exit }`;

function compiled(sheet: string, body: string, options?: CompileOptions): Compilation {
  return compile(source(sheet, body), options);
}

/** `a=x b=y`: the model of each node that has one. */
function models(sheet: string, body: string, options?: CompileOptions): string {
  const { graph, diagnostics } = compiled(sheet, body, options);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return graph!.nodes
    .filter(({ id }) => id !== 'start' && id !== 'exit')
    .map(({ id, rawAttributes }) => `${id}=${rawAttributes['model'] ?? ''}`)
    .join(' ');
}

const four = '* {model: a} box {model: b} .x {model: c} #n {model: d}';

describe('a style sheet', () => {
  it.each([
    [four, 'n; m [class=x]; o; t [shape=tab]; z [model=z, class=x]', 'n=d m=c o=b t=a z=z'],
    ['#n {model: d} .x {model: c} box {model: b} * {model: a}', 'n [class=x]; m [class=x]; o', 'n=d m=c o=b'],
    ['box {model: a} box {model: b}', 'n', 'n=b'],
    ['box {model: a; model: b}', 'n', 'n=b'],
    ['.x {model: a} .y {model: b}', 'n [class="y x"]', 'n=b'],
    ['.y {model: a} .x {model: b} .y {speed: fast}', 'n [class="y x"]', 'n=b'],
    ['.x {model: a}', 'subgraph { label="X"; n; o [model=b] } m', 'n=a o=b m='],
    ['.code-review {model: a}', 'subgraph { label="Code Review"; n } m', 'n=a m='],
    ['* {model: a}', 'node [model=m]; n', 'n=m'],
    ['* {model: a}', 'n [model=""]', 'n='],
    ['parallelogram {model: a}', 'n [script=ls]; m [script=ls, shape=box]', 'n=a m='],
    ['my-shape {model: a}', 'n [shape="my-shape"]', 'n=a'],
    ['.x {model: a}', 'n [shape=".x"]', 'n='],
    ['#a {model: a}', 'A; a', 'A= a=a'],
    ['* {model: a b ; }', 'n', 'n=a b'],
    ['* {;;model:a;provider:p}', 'n', 'n=a'],
    ['* {model: "a"}', 'n', 'n="a"'],
    ['* {model: a:b{c}', 'n', 'n=a:b{c'],
    ['*{model : a}', 'n', 'n=a'],
    ['/* all } */ * /* of them */ {/**/model: a/**/}/***/', 'n', 'n=a'],
    ['* {model: a/* or */b}', 'n', 'n=a b'],
    ['* {colour: red; model: a}', 'n', 'n=a'],
    ['* {}', 'n', 'n='],
    [' ', 'n', 'n='],
  ])('%j gives %j the models %j', (sheet, body, expected) => {
    expect(models(sheet, body)).toBe(expected);
  });

  it('chooses each property by itself, for nodes of every kind', () => {
    const sheet = '* {provider: p; speed: fast; backend: api} #n {model: m; reasoning_effort: low}';
    expect(compiled(sheet, 'n; c [script=ls]').graph?.nodes.slice(2)).toMatchObject([
      { provider: 'p', speed: 'fast', model: 'm', reasoningEffort: 'low', backend: { type: 'api' } },
      { rawAttributes: { provider: 'p', speed: 'fast', backend: 'api' } },
    ]);
  });

  it('reaches imported nodes by the class of their placeholder, and not by id', () => {
    const body = 'p [import="./part.dot", class=x]; q [import="./part.dot", model=own]; start -> p -> q -> exit';
    const part = 'digraph P { model_stylesheet="* {model: no}" start; exit; a; start -> a -> exit }';
    const options = { path: 'main.dot', files: new Map([['part.dot', part]]) };
    expect(models('.x {model: c} #a {model: d} * {model: e}', body, options)).toBe('p.a=c q.a=own');
  });

  it('is what later rules point at', () => {
    const { diagnostics } = compiled('* {backend: cli}', 'n');
    const found = diagnostics.find(({ rule, nodeId }) => rule === 'backend_valid' && nodeId === 'n');
    const { start, end } = found!.range;
    expect(source('* {backend: cli}', 'n').slice(start.offset, end.offset)).toBe('cli');
  });

  it('takes time linear in its length, escapes and comments included, and in the nodes', () => {
    const rules = Array.from(
      { length: 20_000 },
      (_, i) => `.c${i} {\n model: m${i}; /* the\n${i}th */ provider: p }\n`,
    );
    const nodes = Array.from({ length: 10_000 }, (_, i) => `n${i} [class="d c${i}"];`);
    const { graph } = compiled(rules.join(''), nodes.join(''));
    expect(graph?.nodes.at(-1)).toMatchObject({ id: 'n9999', model: 'm9999', provider: 'p' });
  });

  it('copies no more than one compilation may', () => {
    const nodes = Array.from({ length: 10_000 }, (_, i) => `n${i};`);
    const { diagnostics } = compiled(`* {model: ${'m'.repeat(10_000)}}`, nodes.join(''));
    expect(diagnostics).toContainEqual(expect.objectContaining({ rule: 'graph_size' }));
  });
});
