import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from './parse.js';
import { type Literal, type DotStatement } from './tree.js';

function statementsOf(body: string): DotStatement[] {
  const { tree, diagnostics } = parse(`digraph W {${body}}`);
  expect(diagnostics).toEqual([]);
  return tree!.statements;
}

function valueOf(written: string): Pick<Literal, 'form' | 'text'> | string {
  const { tree, diagnostics } = parse(`digraph W { x = ${written} }`);
  if (diagnostics[0]) return diagnostics[0].message;
  const [statement] = tree!.statements;
  const { form, text } = (statement as Extract<DotStatement, { type: 'assignment' }>).attribute.value;
  return { form, text };
}

function errorsOf(source: string): string[] {
  return parse(source).diagnostics.map(({ message, range: { start } }) => `${start.line}:${start.column} ${message}`);
}

describe('values', () => {
  it.each([
    ['"hi there"', 'quoted', 'hi there'],
    ['"a\\"b\\\\c\\nd\\te"', 'quoted', 'a"b\\c\nd\te'],
    ['"\\d+\\."', 'quoted', '\\d+\\.'],
    ['"\\\\n"', 'quoted', '\\n'],
    ['"two\nlines"', 'quoted', 'two\nlines'],
    ['"say // hi /* there */"', 'quoted', 'say // hi /* there */'],
    ['900s', 'duration', '900s'],
    ['250ms', 'duration', '250ms'],
    ['-5m', 'duration', '-5m'],
    ['3.14', 'float', '3.14'],
    ['.5', 'float', '.5'],
    ['-.5', 'float', '-.5'],
    ['42', 'integer', '42'],
    ['-1', 'integer', '-1'],
    ['+5', 'integer', '+5'],
    ['9223372036854775807', 'integer', '9223372036854775807'],
    ['true', 'boolean', 'true'],
    ['false', 'boolean', 'false'],
    ['True', 'word', 'True'],
    ['gpt-5.2-mini', 'word', 'gpt-5.2-mini'],
    ['LR', 'word', 'LR'],
    ['truely', 'word', 'truely'],
  ])('reads %s as %s', (written, form, text) => {
    expect(valueOf(written)).toEqual({ form, text });
  });

  it.each(['true-ish', '30secs', '1.5s', '3.', '2024-01', '1e5', '1h30m', '9223372036854775808', '+-1'])(
    'refuses %s and says how to write it',
    (written) => {
      expect(valueOf(written)).toBe(
        `"${written}" is not a value: put it in quotes, or write a number, a duration such as 30s, true or false.`,
      );
    },
  );
});

describe('comments', () => {
  it.each([
    ['// a; b\n c', 1],
    ['/* a;\n b; */ c', 1],
    ['a /* /* */ b', 2],
    ['a [label="a\\"//b"] // the end', 1],
  ])('%j has %i statements', (body, count) => {
    expect(statementsOf(`${body}\n`)).toHaveLength(count);
  });

  it('knows no other comment', () => {
    expect(errorsOf('digraph W {\n# a\n}')).toHaveLength(1);
  });
});

describe('statements', () => {
  it('reads every kind, with optional semicolons', () => {
    const kinds = statementsOf(`
      graph [goal="g"]; node [model=m] edge [weight=1]
      rankdir = LR
      a [label="A", x=1; y=2 z=3,]
      b []
      c
      a -> b -> c [label="[A] Approve", weight=2];
      subgraph { d }
      subgraph cluster_x { e; subgraph inner { f } }
    `).map(({ type }) => type);
    expect(kinds).toEqual([
      'graph attributes',
      'node defaults',
      'edge defaults',
      'assignment',
      'node',
      'node',
      'node',
      'edge',
      'subgraph',
      'subgraph',
    ]);
  });

  it('takes graph, node and edge for statements only before a bracket', () => {
    expect(statementsOf('node -> edge; graph; subgraph -> node').map(({ type }) => type)).toEqual([
      'edge',
      'node',
      'edge',
    ]);
  });

  it('keeps keys with dots, and brackets in strings', () => {
    const [node] = statementsOf('h [human.default_choice=a, label="[A] b"]');
    expect(node).toMatchObject({
      attributes: [{ key: { text: 'human.default_choice' } }, { value: { text: '[A] b' } }],
    });
  });

  it('knows where everything stands, in UTF-16 code units', () => {
    const source = 'digraph W {\n  goal="😀" a\n}';
    const { tree } = parse(source);
    const [, node] = tree!.statements;
    expect(source.slice(node!.span.start, node!.span.end)).toBe('a');
    expect(tree!.span).toEqual({ start: 0, end: source.length });
  });
});

describe('syntax errors', () => {
  it.each([
    ['strict digraph W {}', '1:1 "strict" is not supported: every edge counts. Remove it.'],
    ['graph W {}', '1:1 Undirected graphs are not supported: write "digraph".'],
    ['digraph {}', '1:9 A workflow needs a name: write "digraph MyWorkflow {".'],
    ['digraph "W" {}', '1:9 Names and ids are written without quotes, as letters, digits and "_".'],
    ['digraph W {} x', '1:14 Nothing may follow the closing "}" of the workflow.'],
    ['digraph W { a', '1:11 This "{" is never closed: its "}" is missing.'],
    ['digraph W { a [x=1 }', '1:15 This "[" is never closed: its "]" is missing.'],
    ['digraph W { a [x="1] }', '1:18 This string is never closed: its closing quote is missing.'],
    ['digraph W { a /* }', '1:15 This comment is never closed: its "*/" is missing.'],
    ['digraph W { "a b" }', '1:13 Names and ids are written without quotes, as letters, digits and "_".'],
    [
      'digraph W { a.b -> c }',
      '1:13 "a.b" has a dot: an id is made of letters, digits and "_", and does not begin with a digit.',
    ],
    ['digraph W {\n# first a\na }', '2:1 "#" begins no comment: write "//" before it, or "/*" and "*/" around it.'],
    ['digraph W { a# b }', '1:14 "#" begins no comment: write "//" before it, or "/*" and "*/" around it.'],
    [
      'digraph W { a [label="x" \\"y\\"] }',
      '1:26 A backslash means something inside a string only. A string ended before it: a quote in a string is written \\".',
    ],
    ['digraph W { a -- b }', '1:15 Undirected edges are not supported: write "->".'],
    ['digraph W { a:p -> b }', '1:14 Ports are not supported: an edge leads to a whole node.'],
    ['digraph W { a -> {b c} }', '1:18 An edge leads to one node; write one edge for each node of a group.'],
    ['digraph W { a -> subgraph s {b} }', '1:18 An edge leads to one node; write one edge for each node of a group.'],
    ['digraph W { a [label=<b>] }', '1:22 HTML-like values are not supported: write a quoted string.'],
    ['digraph W { a {b} }', '1:15 A block in braces needs "subgraph" before it.'],
    ['digraph W { a [x=1,,y=2] }', '1:20 An attribute is missing before ",".'],
    ['digraph W { a [,x=1] }', '1:16 An attribute is missing before ",".'],
    ['digraph W { a [x] }', '1:17 Expected "=" after the attribute\'s key "x", but found "]".'],
    ['digraph W { a [x=] }', '1:18 Expected a value after "=", but found "]".'],
    ['digraph W { 5 }', '1:13 Expected a statement, which begins with a letter from a to z or "_", but found "5".'],
    ['digraph W { a [script=npm test] }', '1:27 A value with a blank in it needs quotes: script="npm test…".'],
    [
      'digraph W { my-step [x=1] }',
      '1:15 "-" cannot stand in an id: it is made of the letters a to z, digits and "_". Write "_" there; a label says what is shown.',
    ],
    ['digraph W { a -> }', '1:18 Expected the id of a node after "->", but found "}".'],
    ['', '1:1 Expected "digraph <name> {", but found the end of the source.'],
  ])('%j', (source, message) => {
    expect(errorsOf(source)[0]).toBe(message);
  });

  it('reads on at the next statement, so that several errors are reported at once', () => {
    const source = `digraph W {
      a -> {b c}
      d [timeout=30secs, x=true-ish]
      e [label="x"
      f -> g
      a -- b; h
    }`;
    expect(errorsOf(source).map((error) => error.split(' ')[0])).toEqual(['2:12', '3:18', '3:28', '4:9', '6:9']);
    expect(parse(source).tree?.statements.map(({ type }) => type)).toEqual(['node', 'node']);
  });

  it('stops counting at 50', () => {
    expect(errorsOf(`digraph W {${'a -- b\n'.repeat(1_000)}}`)).toHaveLength(50);
  });

  it.each([
    ['half a surrogate pair', '\ud83d'],
    ['U+0000', '\0'],
  ])('refuses %s, which cannot be stored', (_, sign) => {
    expect(errorsOf(`digraph W { a [label="${sign}"] }`)).toEqual([
      '1:23 The source has a character that is no text (U+0000 or half of a surrogate pair).',
    ]);
  });
});

describe('hostile sources', () => {
  const million = 200_000;
  it.each([
    ['deep subgraphs', `digraph W {${'subgraph {'.repeat(1_000)}${'}'.repeat(1_001)}`],
    ['subgraphs without end', `digraph W {${'subgraph {'.repeat(million)}`],
    ['braces', '{'.repeat(million)],
    ['brackets', `digraph W {${'a ['.repeat(million)}`],
    ['a string without end', `digraph W { a [x="${'y'.repeat(10 * million)}`],
    ['a comment without end', `digraph W { /*${'*'.repeat(10 * million)}`],
    ['dots', `digraph W { a${'.a'.repeat(million)} }`],
    ['digits', `digraph W { a=${'1'.repeat(10 * million)} }`],
  ])('%s: a diagnostic, and no more than 50', (_, source) => {
    const { diagnostics } = parse(source);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics.length).toBeLessThanOrEqual(50);
  });

  it('reads 10 MB', () => {
    const { tree, diagnostics } = parse(`digraph W {${`n [label="${'x'.repeat(90)}"]\n`.repeat(100_000)}}`);
    expect(diagnostics).toEqual([]);
    expect(tree?.statements).toHaveLength(100_000);
  });

  it('never throws, and every position lies inside the source', () => {
    const pieces = [
      'digraph',
      'W',
      '{',
      '}',
      '[',
      ']',
      '->',
      '--',
      '=',
      ',',
      ';',
      '"',
      '\\',
      '//',
      '/*',
      '*/',
      '\n',
      ' ',
      'a',
      'subgraph',
      'node',
      '30s',
      '-',
      '.',
      ':',
      '<',
      '😀',
      '\ud800',
    ];
    const source = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join('')),
      fc.array(fc.constantFrom(...pieces)).map((parts) => `digraph W {${parts.join(' ')}}`),
    );
    fc.assert(
      fc.property(source, (text) => {
        for (const { range } of parse(text).diagnostics) {
          expect(range.start.offset).toBeLessThanOrEqual(range.end.offset);
          expect(range.end.offset).toBeLessThanOrEqual(text.length);
          const lines = text.slice(0, range.start.offset).split('\n');
          expect(range.start).toMatchObject({ line: lines.length, column: lines.at(-1)!.length + 1 });
        }
      }),
      { numRuns: 500 },
    );
  });
});
