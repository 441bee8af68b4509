import { describe, expect, it } from '@jest/globals';
import { compile, type Compilation } from '../compile.js';

function compiled(sheet: string, body: string): Compilation {
  const written = JSON.stringify(sheet);
  return compile(`digraph W { model_stylesheet=${written} start; exit; ${body} start -> exit }`);
}

/** `a=x b=y`: the model of each node that has one. */
function models(sheet: string, body: string): string {
  const { graph, diagnostics } = compiled(sheet, body);
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
    ['box {model: a} box {model: b}', 'n', 'n=b'],
    ['.x {model: a} .y {model: b}', 'n [class="y x"]', 'n=b'],
    ['.y {model: a} .x {model: b}', 'n [class="y x"]', 'n=b'],
    ['#n {model: a} * {model: b}', 'n', 'n=a'],
    ['* {model: a}', 'node [model=m]; n', 'n=m'],
    ['.code-review {model: a}', 'subgraph { label="Code Review"; n } m', 'n=a m='],
    ['parallelogram {model: a}', 'n [script=ls]; m', 'n=a m='],
    ['* {model: a b ; }', 'n', 'n=a b'],
    ['* {;;model:a;provider:p}', 'n', 'n=a'],
    ['* {model: "a"}', 'n', 'n="a"'],
    ['/* all */ * /* of them */ {/**/model: a/**/}', 'n', 'n=a'],
    ['* {colour: red; model: a}', 'n', 'n=a'],
    ['* {}', 'n', 'n='],
    ['', 'n', 'n='],
  ])('%j gives %j the models %j', (sheet, body, expected) => {
    expect(models(sheet, body)).toBe(expected);
  });

  it('chooses each property by itself, for nodes of every kind', () => {
    const sheet = '* {provider: p; speed: fast} #n {model: m; reasoning_effort: low}';
    expect(compiled(sheet, 'n; c [script=ls]').graph?.nodes.slice(2)).toMatchObject([
      { provider: 'p', speed: 'fast', model: 'm', reasoningEffort: 'low' },
      { rawAttributes: { provider: 'p', speed: 'fast' } },
    ]);
  });

  it.each([
    ['* model: a}', '* model', 'Expected "{"'],
    ['* {model a}', 'a}', 'Expected ":" after the property "model"'],
    ['* {model: ;}', 'model', 'has no value'],
    ['* {model: a', '{', 'never closed'],
    ['* {mo/**/del: a}', 'del', 'Expected ":" after the property "mo"'],
    ['// no\n* {model: a}', '//', 'Expected a selector'],
    ['/* open * {model: a}', '/* open', 'never closed'],
    ['.Big {model: a}', '.Big', 'small letters'],
    ['box, tab {model: a}', ',', 'Expected "{"'],
    ['box tab {model: a}', 'tab', 'Expected "{"'],
    ['a > b {model: a}', '>', 'Expected "{"'],
    ['* {: a}', ': a', 'Expected a property'],
  ])('%j is refused at %j', (sheet, at, says) => {
    const { graph, diagnostics } = compiled(sheet, 'n [label=N]');
    const [found] = diagnostics.filter(({ rule }) => rule === 'stylesheet_syntax');
    expect(graph).toBeUndefined();
    expect(found?.message).toContain(says);
    const before = `digraph W { model_stylesheet=`;
    const offset = before.length + JSON.stringify(sheet).indexOf(JSON.stringify(at).slice(1, -1));
    if (says.startsWith('Expected "{"') && at.startsWith('*')) expect(found?.range.start.offset).toBe(offset + 2);
    else expect(found?.range.start.offset).toBe(offset);
  });

  it('reports several faults at once', () => {
    const { diagnostics } = compiled('* {model} .x {model: a} #y model {speed: fast} box {}', 'n [label=N]');
    expect(diagnostics.filter(({ rule }) => rule === 'stylesheet_syntax')).toHaveLength(2);
  });

  it('doubts names that the catalogue does not have, where they are written', () => {
    const source = `digraph W {
      model_stylesheet="* {model: good; provider: nobody} .x {model: bad}"
      start; exit; a [label=A, model=worse]; b [label=B, model=good, provider=one]; start -> a -> b -> exit
      c [label=C, model=good, provider=two]; b -> c -> exit
    }`;
    const providers = ['one', 'two'];
    const known = {
      hasProvider: (name: string) => providers.includes(name),
      hasModel: (name: string, provider?: string) => name === 'good' && provider !== 'two',
    };
    const { diagnostics } = compile(source, { models: known });
    expect(diagnostics.map(({ rule, message, range }) => `${range.start.line} ${rule} ${message}`)).toEqual([
      '2 stylesheet_model_known The style sheet names the provider "nobody", which no catalogue has.',
      '2 stylesheet_model_known The style sheet names the model "bad", which no catalogue has.',
      '3 node_model_known Node "a" names the model "worse", which no catalogue has.',
      '4 node_model_known Node "c" names the model "good", which the provider "two" does not have.',
    ]);
    expect(compile(source).diagnostics).toEqual([]);
  });
});
