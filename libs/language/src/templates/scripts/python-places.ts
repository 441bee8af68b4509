import { type TokenPlace } from './token-place.js';
import { type ScriptToken } from './script-tokens.js';

const STRING = /(["'])\1\1|["']/y;
/** An f-string that ends at the same place in every version of Python. */
const PLAIN_FORMAT = /^(?:[^{}]|\{\{|\}\}|\{[^{}'"\\#\n]*\})*$/;

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

/** `undefined` where it depends on the version of Python: what stands in the braces of an f-string. */
function endOfText(script: string, from: number, quotes: string): number | undefined {
  const isFormat = /[ft]r?$/i.test(script.slice(Math.max(0, from - 2), from));
  const first = from + quotes.length;
  let at = first;
  while (at < script.length && !script.startsWith(quotes, at)) {
    if (quotes.length === 1 && script[at] === '\n') return at;
    at += script[at] === '\\' ? 2 : 1;
  }
  if (isFormat && !PLAIN_FORMAT.test(script.slice(first, at))) return undefined;
  return at + quotes.length;
}

const INSIDE: TokenPlace = { kind: 'unknown', why: 'inside a text of Python' };

/** A letter would make the text another kind of text, and quotes would make other quotes with those of the value. */
function besides(script: string, from: number, to: number): TokenPlace {
  if (/[\w"'\\]/.test(script[from - 1] ?? '')) return { kind: 'unknown', why: 'right behind a letter or a quote' };
  if (/["']/.test(script[to] ?? '')) return { kind: 'unknown', why: 'right before a quote' };
  return { kind: 'bare' };
}
