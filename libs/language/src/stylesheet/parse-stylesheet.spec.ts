import { describe, expect, it } from '@jest/globals';
import { compile, type Compilation } from '../compile.js';
import { parseStylesheet } from './parse-stylesheet.js';

/** Its faults as `message @ what they point at`. */
function faults(sheet: string): string[] {
  return parseStylesheet(sheet).faults.map(({ message, at }) => `${message} @ ${sheet.slice(at.from, at.to)}`);
}

const aSelector = 'Expected a selector: *, a shape, .class or #id, but';
const aBrace = 'Expected "{" after the selector, which is one word, but';

describe('parseStylesheet', () => {
  it('reads rules in their order, with the places of what they declare', () => {
    const { rules } = parseStylesheet('box { model : a/**/b } #n {}');
    expect(rules).toEqual([
      {
        selector: { kind: 'shape', name: 'box' },
        declarations: [
          { property: 'model', value: 'a b', propertyAt: { from: 6, to: 11 }, valueAt: { from: 14, to: 20 } },
        ],
      },
      { selector: { kind: 'id', name: 'n' }, declarations: [] },
    ]);
  });

  it.each([
    ['* model: a}', `${aBrace} found "m". @ m`],
    ['box, tab {model: a}', `${aBrace} found ",". @ ,`],
    ['box tab {model: a}', `${aBrace} found "t". @ t`],
    ['a > b {model: a}', `${aBrace} found ">". @ >`],
    ['.x.y {model: a}', `${aBrace} found ".". @ .`],
    ['#p.a {model: a}', `${aBrace} found ".". @ .`],
    ['box', `${aBrace} the style sheet ends. @ `],
    ['{model: a}', `${aSelector} found "{". @ {`],
    ['* {} }', `${aSelector} found "}". @ }`],
    ['[shape=box] {}', `${aSelector} found "[". @ [`],
    ['.Big {model: a}', 'A class is written with small letters, digits and hyphens. @ .Big'],
    ['.big_one {}', 'A class is written with small letters, digits and hyphens. @ .big_one'],
    ['* {model a}', 'Expected ":" after the property "model", but found "a". @ a'],
    ['* {model}', 'Expected ":" after the property "model", but found "}". @ }'],
    ['* {mo/**/del: a}', 'Expected ":" after the property "mo", but found "d". @ d'],
    ['* {: a}', 'Expected a property, but found ":". @ :'],
    ['* {model: ;}', 'The property "model" has no value. @ model'],
    ['* {model: /* a */}', 'The property "model" has no value. @ model'],
    ['* {model: a', 'This "{" is never closed. @ {'],
    ['// no\n* {model: a}', 'A comment is written between /* and */. @ //'],
    ['* {//no: b; model: a}', 'A comment is written between /* and */. @ //'],
    ['/* open * {model: a}', 'This comment is never closed. @ /*'],
    ['* {} /*/', 'This comment is never closed. @ /*'],
  ])('refuses %j', (sheet, expected) => {
    expect(faults(sheet)).toEqual([expected]);
  });

  it('goes on behind the "}" of a faulty rule', () => {
    const sheet = '* {model} .x {model: a} #y model {speed: fast} box {speed:} * {model: b /* never }';
    expect(faults(sheet)).toEqual([
      'Expected ":" after the property "model", but found "}". @ }',
      `${aBrace} found "m". @ m`,
      'The property "speed" has no value. @ speed',
      'This "{" is never closed. @ {',
      'This comment is never closed. @ /*',
    ]);
    expect(parseStylesheet(sheet).rules.map(({ selector }) => selector.name)).toEqual(['x']);
  });

  it.each([
    '/*'.repeat(500_000),
    '}'.repeat(500_000),
    '* {a'.repeat(250_000),
    '* {a:b}'.repeat(100_000),
    ' '.repeat(1e6),
  ])('takes time linear in the text: %.9s…', (sheet) => {
    expect(parseStylesheet(sheet).faults.length).toBeLessThanOrEqual(51);
  });
});

describe('stylesheet_syntax', () => {
  /** The source, and what each finding says and covers. */
  function findings(source: string): string[] {
    const { graph, diagnostics }: Compilation = compile(source);
    expect(graph).toBeUndefined();
    return diagnostics
      .filter(({ rule }) => rule === 'stylesheet_syntax')
      .map(({ message, range }) => `${message} @ ${source.slice(range.start.offset, range.end.offset)}`);
  }

  it('points into the source, through escapes and over lines', () => {
    const written = String.raw`"/* \"all\"\n */ * {\n\tmodel: \"a\" }
      .x {speed:}  .Y {}"`;
    expect(findings(`digraph W { model_stylesheet=${written} start; exit; start -> exit }`)).toEqual([
      'The style sheet does not parse: The property "speed" has no value. @ speed',
      'The style sheet does not parse: A class is written with small letters, digits and hyphens. @ .Y',
    ]);
  });

  it('lets a faulty sheet choose nothing', () => {
    const { diagnostics } = compile('digraph W { model_stylesheet="* {backend: cli} box" start; exit; start -> exit }');
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['stylesheet_syntax']);
  });
});
