import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SourceText } from '../source/source-text.js';
import { parse, parseText } from '../syntax/parse.js';
import { format } from './format.js';

function formatted(source: string): string {
  const { text, diagnostics } = format(source);
  expect(diagnostics).toEqual([]);
  return text!;
}

/** The body of a workflow, formatted. */
function bodyOf(body: string): string {
  return formatted(`digraph W {${body}}`).slice('digraph W {\n'.length, -'\n}\n'.length);
}

describe('the layout', () => {
  it('has one statement a line, no separators between them, and groups', () => {
    expect(
      formatted('digraph W{goal="g";rankdir=LR\n\n\n\na[shape=box;x=1 y=2,];b->c->d\n  \n subgraph s{e;subgraph{}}}'),
    ).toBe(`digraph W {
  goal = "g"
  rankdir = LR

  a [shape=box, x=1, y=2]
  b -> c -> d

  subgraph s {
    e
    subgraph {}
  }
}
`);
  });

  it('gives each attribute a line when they do not fit one of 100 columns', () => {
    const fits = `  a [label="${'x'.repeat(80)}", y=1]`;
    expect(fits).toHaveLength(99);
    expect(bodyOf(fits)).toBe(fits);
    expect(bodyOf(fits.replace('y=1', 'y=100'))).toBe(`  a [\n    label="${'x'.repeat(80)}",\n    y=100\n  ]`);
  });

  it('gives each node of a chain a line when they do not fit one', () => {
    const [a, b] = ['a'.repeat(50), 'b'.repeat(50)];
    expect(bodyOf(`${a} -> ${b}`)).toBe(`  ${a}\n    -> ${b}`);
    expect(bodyOf(`${a} -> ${b} [label=x]`)).toBe(`  ${a}\n    -> ${b} [label=x]`);
  });

  it('leaves texts of several lines as they are', () => {
    const text = '"\n   one\\n \t\n\r\n two\\"  "';
    expect(bodyOf(`a [x=1, prompt=${text}]`)).toBe(`  a [\n    x=1,\n    prompt=${text}\n  ]`);
  });

  it.each(['"5"', '5', '+5', '.5', '"true"', 'true', 'gpt-5.2', '"box"', 'box', '-5m', '"\\d\\q\\\\"'])(
    'spells %s as it was',
    (value) => {
      expect(bodyOf(`x=${value} a [x=${value}]`)).toBe(`  x = ${value}\n  a [x=${value}]`);
    },
  );

  it('gives a duration the unit that it lacks, and nothing else', () => {
    const body = '  stall_timeout = "1200"\n  node [timeout="300"]\n  a [timeout=05, x="300", max_retries="3"]';
    const written = '  stall_timeout = 1200s\n  node [timeout=300s]\n  a [timeout=05s, x="300", max_retries="3"]';
    expect([bodyOf(body), bodyOf(written)]).toEqual([written, written]);
    expect(bodyOf('  stall_timeout = 0')).toBe('  stall_timeout = 0');
  });

  it('leaves out empty lists, where nothing depends on them', () => {
    expect(bodyOf('a [] b -> c [] node [] graph; subgraph; d')).toBe(
      '  a\n  b -> c\n  node []\n  graph\n  subgraph []\n  d',
    );
  });
});

describe('a comment', () => {
  it.each([
    ['alone on its line stays alone', '\n\n //  one \n\n\n\t/* two */ \n a', '  //  one\n\n  /* two */\n  a'],
    [
      'behind something stays behind it',
      'a; // one\nb /* two */ ; /* three */\n',
      '  a // one\n  b /* two */ /* three */',
    ],
    ['before something stays before it', 'a /* one */ b [/* two */ x=1]', '  a\n  /* one */ b [/* two */ x=1]'],
    ['at the end of a list stays there', 'a [x=1 /* one */]', '  a [x=1 /* one */]'],
    [
      'on a line of a list keeps the lines',
      'a [ // one\n x=1 // two\n, // three\n\n // four\n y=2]',
      '  a [ // one\n    x=1, // two\n    // three\n\n    // four\n    y=2\n  ]',
    ],
    ['in an empty list keeps it', 'a [ /* one */ ]', '  a [/* one */]'],
    ['in a chain keeps its node', 'a // one\n -> b -> c', '  a // one\n    -> b\n    -> c'],
    ['in a chain may be short', 'a /* one */ -> /* two */ b', '  a /* one */ /* two */ -> b'],
    ['before a value stays there', 'x /* 5 */ = 6 a [x=/* 5 */6]', '  x = /* 5 */ 6\n  a [x=/* 5 */ 6]'],
    ['before a bracket goes behind it', 'subgraph s // one\n {a}', '  subgraph s { // one\n    a\n  }'],
    ['with stars is moved as a whole', '/*\n* one\n     * two\n*/ a', '  /*\n   * one\n   * two\n   */ a'],
    ['without stars keeps its lines', '/* one \n  two */ a', '  /* one\n  two */ a'],
  ])('%s', (_, body, expected) => {
    expect(bodyOf(body)).toBe(expected);
    expect(bodyOf(`\n${expected}\n`)).toBe(expected);
  });

  it('stands before the workflow and behind it', () => {
    expect(formatted('\ufeff// one\r\n\r\n/* two */digraph/* three */W {} // four\n/* five */')).toBe(
      '// one\n\n/* two */ digraph /* three */ W {} // four\n/* five */\n',
    );
  });
});

it('does not touch what it cannot read', () => {
  const { text, diagnostics } = format('digraph W { a -- b');
  expect(text).toBeUndefined();
  expect(diagnostics).toEqual(parse('digraph W { a -- b').diagnostics);
});

describe('any source', () => {
  const id = fc.constantFrom('a', 'b', 'graph', 'node', 'subgraph', '_1', `long_${'x'.repeat(40)}`);
  const value = fc.oneof(
    fc.constantFrom('true', '5', '-1.5', '30s', 'gpt-5.2', 'box', '"5"', '"\\"\\n\\q"', '"a\n  b"', '"// no"', '"/*"'),
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text.replaceAll('\0', ''))),
  );
  const separated = (tokens: string[]): fc.Arbitrary<string[]> =>
    fc.constantFrom([], [';']).map((separator) => [...tokens, ...separator]);
  const attribute = fc
    .tuple(fc.constantFrom('x', 'label', 'acp.command'), value, fc.constantFrom([], [','], [';']))
    .map(([key, written, separator]) => [key, '=', written, ...separator]);
  const list = fc.array(attribute, { maxLength: 4 }).map((attributes) => ['[', ...attributes.flat(), ']']);
  const { block } = fc.letrec<{ statement: string[]; block: string[] }>((tie) => ({
    statement: fc
      .oneof(
        { depthSize: 'small' },
        fc.tuple(id, list).map(([name, attributes]) => [name, ...attributes]),
        fc.constantFrom('a', 'b').map((name) => [name]),
        fc.tuple(id, value).map(([key, written]) => [key, '=', written]),
        fc
          .tuple(id, fc.array(fc.constantFrom('a', 'node', `y${'y'.repeat(30)}`), { minLength: 1, maxLength: 6 }), list)
          .map(([first, others, attributes]) => [first, ...others.flatMap((other) => ['->', other]), ...attributes]),
        fc.tuple(fc.constantFrom([], ['s']), tie('block')).map(([name, inner]) => ['subgraph', ...name, ...inner]),
      )
      .chain(separated),
    block: fc.array(tie('statement'), { maxLength: 5 }).map((statements) => ['{', ...statements.flat(), '}']),
  }));
  const comment = fc.constantFrom('// one\n', '/* two */', '/*\n* three\n */', '/* four\n\n  four */', '//\n', '/**/');
  const space = fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(' ', '\n', '\n\n\n', '\t', '\r\n') }, comment), {
      maxLength: 4,
    })
    .map((parts) => ` ${parts.join('')} `);
  const source = fc
    .tuple(block, fc.array(space, { minLength: 1 }))
    .map(([tokens, spaces]) =>
      ['digraph', 'W', ...tokens, ''].map((token, at) => spaces[at % spaces.length]! + token).join(''),
    );

  it('keeps its tree and its comments, and is formatted once for all', () => {
    fc.assert(
      fc.property(source, (text) => {
        const once = formatted(text);
        expect(formatted(once)).toBe(once);
        expect(treeOf(once)).toEqual(treeOf(text));
        expect(commentsOf(once)).toEqual(commentsOf(text));
        expect(once).not.toMatch(/\n\n\n/);
      }),
      { numRuns: 500 },
    );
  });
});

function treeOf(source: string): unknown {
  const places = new Set(['span', 'start', 'end']);
  return JSON.parse(JSON.stringify(parse(source).tree, (key, value: unknown) => (places.has(key) ? undefined : value)));
}

function commentsOf(source: string): string[] {
  const comments: string[] = [];
  parseText(new SourceText(source), ({ start, end }) => {
    comments.push(source.slice(start, end).replace(/\s*(\n\s*|$)/g, '\n'));
  });
  return comments;
}

it('takes time linear in the source', () => {
  const statements = '// one\n\n  a /* two */ [x=1, /* three */ y=2] // four\nb->c\n'.repeat(20_000);
  const many = formatted(`digraph W {${statements}subgraph s {${statements}} a [${'/**/x=1 '.repeat(50_000)}]}`);
  expect(many.split('\n').length).toBeGreaterThan(200_000);
});
