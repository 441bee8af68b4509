import { type TokenType } from '@huggingface/jinja';
import { type TagToken } from './tag.js';
import { type TemplateText } from './template-text.js';

const TOKEN =
  /([A-Za-z_]\w*)|(\d+(?:\.\d+)?)|("[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*')|(\*\*|\/\/|[<>=!]=|[-+~*/%<>=()[\]{},.:|])/y;
const SPACE = /\s*/y;
const CLOSINGS = { output: /[-+]?\}\}/y, statement: /[-+]?%\}/y };

const SIGNS: ReadonlyMap<string, TokenType> = new Map([
  ['(', 'OpenParen'],
  [')', 'CloseParen'],
  ['[', 'OpenSquareBracket'],
  [']', 'CloseSquareBracket'],
  ['{', 'OpenCurlyBracket'],
  ['}', 'CloseCurlyBracket'],
  [',', 'Comma'],
  ['.', 'Dot'],
  [':', 'Colon'],
  ['|', 'Pipe'],
  ['=', 'Equals'],
  ...['<', '>', '<=', '>=', '==', '!='].map((sign) => [sign, 'ComparisonBinaryOperator'] as const),
  ...['+', '-', '~'].map((sign) => [sign, 'AdditiveBinaryOperator'] as const),
  ...['*', '/', '//', '%'].map((sign) => [sign, 'MultiplicativeBinaryOperator'] as const),
  ['**', 'ExponentiationBinaryOperator'],
]);
const BRACKETS: ReadonlyMap<TokenType | undefined, TokenType> = new Map([
  ['OpenParen', 'CloseParen'],
  ['OpenSquareBracket', 'CloseSquareBracket'],
  ['OpenCurlyBracket', 'CloseCurlyBracket'],
]);
const CLOSING_BRACKETS: ReadonlySet<TokenType> = new Set(BRACKETS.values());
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

export interface ScannedTag {
  tokens: TagToken[];
  /** As it is written: `-%}`. */
  closing: string;
  end: number;
}

/** Reads a tag from behind its opening. Every bracket in it is closed in it. Throws a {@link TemplateFault}. */
export function scanTag(template: TemplateText, kind: 'output' | 'statement', from: number): ScannedTag {
  const { text } = template;
  const tokens: TagToken[] = [];
  const open: TagToken[] = [];
  for (let at = skipSpace(text, from); at < text.length; at = skipSpace(text, at)) {
    // Inside of braces, `}}` closes two of them.
    const closing = open.at(-1)?.value === '{' ? undefined : matchAt(CLOSINGS[kind], text, at)?.[0];
    if (closing !== undefined) {
      const unclosed = open.at(-1);
      if (unclosed) throw template.fault(`${unclosed.value} is never closed in its tag`, unclosed);
      return { tokens, closing, end: at + closing.length };
    }
    const token = tokenAt(template, at, tokens.at(-1));
    if (BRACKETS.has(token.type)) open.push(token);
    else if (CLOSING_BRACKETS.has(token.type) && BRACKETS.get(open.pop()?.type) !== token.type) {
      throw template.fault(`${token.value} closes nothing that is open in its tag`, token);
    }
    tokens.push(token);
    at = token.to;
  }
  const closing = kind === 'output' ? '}}' : '%}';
  throw template.fault(`this tag is never closed by ${closing}`, { from: from - 2, to: from });
}

function tokenAt(template: TemplateText, from: number, previous: TagToken | undefined): TagToken {
  const [, name, number, string, sign] = matchAt(TOKEN, template.text, from) ?? [];
  const token = (type: TokenType, value: string, to = from + value.length): TagToken => ({ type, value, from, to });
  if (name !== undefined) return token('Identifier', name);
  // `pairs.0.1` is a member of a member, not a fraction.
  if (number !== undefined) return token('NumericLiteral', previous?.type === 'Dot' ? number.split('.')[0]! : number);
  if (string !== undefined) return token('StringLiteral', unescape(string), from + string.length);
  if (sign !== undefined) return token(SIGNS.get(sign)!, sign);
  const junk = template.text[from]!;
  const message = /["']/.test(junk) ? `the closing ${junk} is missing` : `"${junk}" means nothing in a tag`;
  throw template.fault(message, { from, to: from + 1 });
}

/** An escape that means nothing keeps its backslash, as in Python. */
function unescape(quoted: string): string {
  const inner = quoted.slice(1, -1);
  if (!inner.includes('\\')) return inner;
  return inner.replace(/\\([^])/g, (escape, sign: string) => {
    return ESCAPES[sign] ?? (/["'\\]/.test(sign) ? sign : escape);
  });
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
