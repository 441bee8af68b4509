import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { compile } from '#libs/language';

/** What a shell might take for something else than a text. */
const SIGNS = [
  ...[
    '$(id)',
    '`id`',
    '${HOME}',
    '$HOME',
    '$((1+1))',
    '"',
    "'",
    '\\',
    '\n',
    '\t',
    ' ',
    '-rf',
    '--',
    '!',
    '!!',
    '*',
    '~',
    '#',
  ],
  ...[
    '&',
    ';',
    '|',
    '<',
    '>',
    '(',
    ')',
    '{a,b}',
    '[a]',
    '=',
    '%s',
    '\r',
    '\u0001',
    'END',
    '\nEND\n',
    '\tEND',
    '$',
    '\\\n',
  ],
  ...['ä', '🦊', '\u2028', '\u0085', '\u0081', '\u007f', "'; id; '", '"; id; "', '{{ goal }}', '${0+}', 'x'],
];
const value = fc.oneof(
  fc.array(fc.constantFrom(...SIGNS), { maxLength: 8 }).map((signs) => signs.join('')),
  fc.constant(`-x ${SIGNS.join('').replaceAll('{{ goal }}', '')}`.repeat(100)),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed().replaceAll('\0', '')),
);

/** Scripts that print a token's value between what stands beside it. */
const PLACES: [place: string, script: string, print: (value: string) => string][] = [
  ['a bare word', 'printf %s @', (text) => text],
  ['a part of a bare word', "set x; printf %s a@$1'b'@.c", (text) => `a${text}xb${text}.c`],
  ['double quotes', 'set x; printf %s "a @$1@ \\$@ $"', (text) => `a ${text}x${text} $${text} $`],
  ['double quotes behind a name', 'v=w; printf %s "$v@ ${v}@"', (text) => `w${text} w${text}`],
  ['single quotes', "printf %s 'a @\"@'", (text) => `a ${text}"${text}`],
  ['an assignment', 'x=@ y="b@"; printf "%s" "$x$y"', (text) => `${text}b${text}`],
  ['a command in quotes', 'printf %s "$(printf "%s." @ "@")"', (text) => `${text}.${text}.`],
  ['a pattern', 'case "@" in @) printf yes;; esac', () => 'yes'],
  [
    'a here-document',
    'v=w; cat <<END\n@\na @$v@@ EN@D\n@END\nEND@\n.\nEND',
    (text) => `${text}\na ${text}w${text}${text} EN${text}D\n${text}END\nEND${text}\n.\n`,
  ],
  ['a here-document without tabs', 'cat <<-END\n\t@\n\tb@\n\tEND', (text) => `${text}\nb${text}\n`],
  ['the operand of a shell', 'sh -c \'printf %s "$1$2"\' _ @ "b@"', (text) => `${text}b${text}`],
  ['a list', 'for x in @ "b@"; do printf "%s." "$x"; done', (text) => `${text}.b${text}.`],
  ['a variable', 'export X=@; f() { printf %s "$1"; }; f "$X"', (text) => text],
  [
    'a here-document beside others',
    'v=w; { cat <<A; cat <<"B"; cat; } <<C\n@\nA\nb\nB\n$v@\nC',
    (text) => `${text}\nb\nw${text}\n`,
  ],
];

function rendered(written: string, text: string, attributes = ''): string {
  const script = JSON.stringify(written.replaceAll('@', '{{ inputs.v }}'));
  const source = `digraph W { start; exit; a [script=${script.replaceAll('\\t', '\t')}${attributes}]; start -> a -> exit }`;
  const { graph, diagnostics } = compile(source, { scope: { inputs: { v: text }, vars: {}, undefinedIs: 'error' } });
  const node = graph?.nodes.find(({ id }) => id === 'a');
  if (node?.kind !== 'command') throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return node.script;
}

function execute(program: string, script: string): string {
  const { stdout, stderr } = spawnSync(program, ['-c', script], { encoding: 'buffer', timeout: 10_000 });
  expect(stderr.toString()).toBe('');
  return stdout.toString();
}

function isThere(program: string): boolean {
  return spawnSync(program, ['-c', '']).status === 0;
}

describe.each(['sh', 'bash', 'dash'])('any value in a script of %s, if it is there', (shell) => {
  const test = isThere(shell) ? it : it.skip;

  test.each(PLACES)('comes out of %s as it is', (_, written, print) => {
    const property = fc.property(value, (text) => {
      expect(execute(shell, rendered(written, text))).toBe(print(text));
    });
    fc.assert(property, { numRuns: 40 });
  });
});

describe('any value in a script of Python, if it is there', () => {
  (isThere('python3') ? it : it.skip)('comes out as it is', () => {
    const written = 'import sys\nsys.stdout.buffer.write((@ + "," + str([@])).encode())';
    const property = fc.property(value, (text) => {
      const script = rendered(written.replace('str([@])', '"".join([@])'), text, ', language=python');
      expect(execute('python3', script)).toBe(`${text},${text}`);
    });
    fc.assert(property, { numRuns: 15 });
  });
});
