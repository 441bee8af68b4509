import { ConditionSyntaxError } from './condition-syntax-error.js';

export interface ConditionToken {
  type: 'operator' | 'word';
  /** As written. A quoted word keeps its quotes, so as a key it names nothing. */
  text: string;
  /** What the word means where a value is expected. */
  value: string;
  at: number;
}

const SPACE = /\s*/y;
const OPERATOR = /&&|\|\||!=|>=|<=|[=><!]/y;
const BARE = /[^\s"=!><&|]+/y;
const WORD_OPERATORS: ReadonlySet<string> = new Set(['contains', 'matches']);

/** The tokens of a condition. Throws a {@link ConditionSyntaxError} at a single `&` or `|`. */
export function tokenize(text: string): ConditionToken[] {
  const tokens: ConditionToken[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const token = tokenAt(text, at, tokens.at(-1));
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(text: string, at: number, previous: ConditionToken | undefined): ConditionToken {
  if (text[at] === '"') return quotedAt(text, at);
  const operator = matchAt(OPERATOR, text, at);
  if (operator !== undefined) return { type: 'operator', text: operator, value: operator, at };
  const word = matchAt(BARE, text, at);
  if (word === undefined) {
    throw new ConditionSyntaxError(`a single "${text[at]}" means nothing, write "${text[at]}${text[at]}"`, at);
  }
  // Elsewhere than behind a word, `contains` and `matches` are words like any other.
  const joins = WORD_OPERATORS.has(word) && previous?.type === 'word';
  return { type: joins ? 'operator' : 'word', text: word, value: word, at };
}

/** A quoted word ends at the next unescaped quote; a missing closing quote is tolerated. */
function quotedAt(text: string, at: number): ConditionToken {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  const value = text
    .slice(at + 1, end)
    .replaceAll('\\"', '"')
    .replaceAll('\\\\', '\\');
  return { type: 'word', text: text.slice(at, end + 1), value, at };
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
