import { type TokenPlace } from './token-place.js';
import { type ScriptToken } from './script-tokens.js';

const STRING = /(["'])\1\1|["']/y;

/** Where each token of a Python script stands: a value is a text of its own, and none inside another. */
export function pythonPlaces(script: string, tokens: readonly ScriptToken[]): TokenPlace[] {
  const places: TokenPlace[] = [];
  let at = 0;
  while (at < script.length && places.length < tokens.length) {
    const { from, to } = tokens[places.length]!;
    STRING.lastIndex = at;
    const quotes = STRING.exec(script)?.[0];
    let end: number | undefined = to;
    if (at === from) places.push(besides(script, from, to));
    else if (script[at] === '#') end = endOfLine(script, at);
    else if (quotes === undefined) end = at + 1;
    else end = endOfText(script, at, quotes);
    const inside: TokenPlace = script[at] === '#' ? { kind: 'comment' } : INSIDE;
    while (places.length < tokens.length && tokens[places.length]!.from < (end ?? Infinity)) places.push(inside);
    at = end ?? script.length;
  }
  return places;
}

function endOfLine(script: string, from: number): number {
  const end = script.indexOf('\n', from);
  return end === -1 ? script.length : end;
}

/** `undefined` where it depends on the version of Python: quotes in the expressions of an f-string. */
function endOfText(script: string, from: number, quotes: string): number | undefined {
  const isFormat = /[ft]r?$/i.test(script.slice(Math.max(0, from - 2), from));
  let open = 0;
  let at = from + quotes.length;
  for (; at < script.length; at++) {
    const sign = script[at]!;
    if (isFormat && /["']/.test(sign) && open > 0) return undefined;
    if (script.startsWith(quotes, at)) return at + quotes.length;
    if (quotes.length === 1 && sign === '\n') return at;
    if (sign === '\\') at++;
    open += sign === '{' ? 1 : sign === '}' ? -1 : 0;
  }
  return at;
}

const INSIDE: TokenPlace = { kind: 'unknown', why: 'inside a text of Python' };

/** A letter would make the text another kind of text, and quotes would make other quotes with those of the value. */
function besides(script: string, from: number, to: number): TokenPlace {
  if (/[\w"'\\]/.test(script[from - 1] ?? '')) return { kind: 'unknown', why: 'right behind a letter or a quote' };
  if (/["']/.test(script[to] ?? '')) return { kind: 'unknown', why: 'right before a quote' };
  return { kind: 'bare' };
}
