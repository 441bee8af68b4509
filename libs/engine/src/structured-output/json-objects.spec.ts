import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonObjectsIn } from './json-objects.js';
import { growth, IN_PROPORTION } from '../../../../test/support/growth.js';

describe('jsonObjectsIn', () => {
  it.each([
    ['no brace', 'all is well', []],
    ['only the outermost', '{"a":{"b":{}}}', ['{"a":{"b":{}}}']],
    ['all of them, in order', 'first {"a":1}, then {"b":2}.', ['{"a":1}', '{"b":2}']],
    ['braces in strings', '{"a":"}{"} {"b":"{"}', ['{"a":"}{"}', '{"b":"{"}']],
    ['escaped quotes', String.raw`{"a":"\"}"} {"b":"\\"}`, [String.raw`{"a":"\"}"}`, String.raw`{"b":"\\"}`]],
    ['quotes of the prose around', 'a 5" disk {"a":1} and "more', ['{"a":1}']],
    ['what is no JSON', 'if (x) { return y; }', ['{ return y; }']],
    ['what a brace that is never closed holds', 'open { {"a":1} {"b":2}', ['{"a":1}', '{"b":2}']],
    ['what such a brace takes for text', '{ "open {"a":1}', ['{"a":1}']],
    ['a brace that only closes', '} {"a":1} }', ['{"a":1}']],
    ['a last one that is cut off', '{"a":1} {"b":', ['{"a":1}']],
  ])('finds %s', (_, text, objects) => {
    expect(jsonObjectsIn(text)).toEqual(objects);
  });

  it('keeps apart a brace inside a found object and one behind it that end alike', () => {
    const objects = ['{"msg":"a { b"}', String.raw`{"x":"\"quoted\" foo"}`];
    expect(jsonObjectsIn(`a lone { and ${objects.join(' then ')}`)).toEqual(objects);
  });

  it('finds what JSON.stringify wrote, in noise without braces', () => {
    const noise = fc.string().map((text) => text.replace(/[{}]/g, ''));
    fc.assert(
      fc.property(noise, fc.dictionary(fc.string(), fc.jsonValue()), noise, (before, value, after) => {
        const json = JSON.stringify(value);
        expect(jsonObjectsIn(`${before}${json}${after}`)).toEqual([json]);
      }),
    );
  });

  it('finds what reading from each brace in turn finds', () => {
    const letter = fc.constantFrom('{', '{', '}', '}', '"', '"', '\\', 'a');
    fc.assert(
      fc.property(fc.string({ unit: letter, maxLength: 40 }), (text) => {
        expect(jsonObjectsIn(text)).toEqual(oneByOne(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it('looks at the last thousand of very many', () => {
    const all = Array.from({ length: 5_555 }, (_, n) => `{${n}}`);
    expect(jsonObjectsIn(all.join())).toEqual(all.slice(-1_000));
  });

  it('looks at the last 8 MiB of a very long text', () => {
    const text = `{"early":1}${' '.repeat(8 * 1024 * 1024 - 10)}{"late":1}`;
    expect(jsonObjectsIn(text)).toEqual(['{"late":1}']);
  });

  it('forgets what encloses more than 1,024 levels', () => {
    expect(jsonObjectsIn('{'.repeat(1_024) + '}'.repeat(1_024))).toHaveLength(1);
    expect(jsonObjectsIn('{'.repeat(1_025) + '}'.repeat(1_025))).toEqual(['{'.repeat(1_024) + '}'.repeat(1_024)]);
  });

  it.each([
    ['{'],
    ['{}'],
    ['{"'],
    ['{\\"'],
    ['{"\\'],
    ['{"a":"\\"}",'],
    ['"{'],
    ['{{}"{"'],
    [`${'{'.repeat(1_023)}"${'\\x'.repeat(8_192)}`],
    ['{"a":{'],
  ])('takes time in proportion to the text: %#', (unit) => {
    const textOf = (length: number): string => unit.repeat(Math.ceil(length / unit.length));
    const reading = (length: number) => {
      const text = textOf(length);
      return () => jsonObjectsIn(text);
    };
    expect(growth(reading, 500_000)).toBeLessThan(IN_PROPORTION);
  });
});

/** The rule itself: an object reaches from the first brace to the one that closes it, and the search goes on behind it. */
function oneByOne(text: string): string[] {
  const objects: string[] = [];
  for (let from = 0; from < text.length; from++) {
    const to = text[from] === '{' ? endOf(text, from) : undefined;
    if (to === undefined) continue;
    objects.push(text.slice(from, to));
    from = to - 1;
  }
  return objects;
}

function endOf(text: string, from: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    if (quoted && text[at] === '\\') at++;
    else if (text[at] === '"') quoted = !quoted;
    else if (!quoted && text[at] === '{') depth++;
    else if (!quoted && text[at] === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}
