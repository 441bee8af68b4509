import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maskTokenBytes, maskTokens, maskTokensIn, TokenMask } from './tokens.js';

const HEX = '0123456789abcdef'.repeat(4);
const token = (kind = 'worker'): string => `service_${kind}_${HEX}`;
const masked = (kind = 'worker', length = 64): string => `service_${kind}_${'REDACTED'.padEnd(length, '*')}`;

describe('tokens in a text', () => {
  it.each([
    [`a ${token()} b ${token('dev')}\n`, `a ${masked()} b ${masked('dev')}\n`],
    [`service_refresh_${'aB-_'.repeat(11).slice(0, 43)}`, masked('refresh', 43)],
    [token().slice(0, 50), masked('worker', 35)],
    ['service_worker_pool_is_empty', 'service_worker_pool_is_empty'],
    ['service_refresh_interval_in_seconds', 'service_refresh_interval_in_seconds'],
    ['service_dev_abc', 'service_dev_abc'],
  ])('are masked, their length kept, and nothing else is: %s', (text, expected) => {
    expect(maskTokens(text)).toBe(expected);
  });

  it('are masked in bytes of any encoding', () => {
    const bytes = (text: string): Buffer => Buffer.concat([Buffer.from([0xff]), Buffer.from(`ä${text}`)]);
    expect(maskTokenBytes(bytes(token()))).toEqual(bytes(masked()));
    const clean = bytes('nothing');
    expect(maskTokenBytes(clean)).toBe(clean);
  });

  it('are masked wherever in a value they stand', () => {
    expect(maskTokensIn({ [token()]: [{ a: `"${token()}` }] })).toEqual({ [masked()]: [{ a: `"${masked()}` }] });
  });

  it('are masked however the text is cut into parts, of which none is lost', () => {
    const pieces = fc.array(fc.constantFrom(token(), token('dev'), token().slice(0, 20), 's', 'service_', 'x ', '\n'));
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(90)), (texts, cuts) => {
        let rest = texts.join('');
        const whole = rest;
        let shown = '';
        const mask = new TokenMask((text) => (shown += text));
        for (const cut of cuts) {
          mask.write(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        mask.write(rest);
        mask.end();
        expect(shown).toHaveLength(whole.length);
        expect(shown).not.toContain(HEX.slice(0, 32));
      }),
    );
  });

  it('hold back no more than what may become one', () => {
    const shown: string[] = [];
    const mask = new TokenMask((text) => shown.push(text));
    for (const part of ['tests', ' pass', 'service_worker_', 'none\n']) mask.write(part);
    expect(shown).toEqual(['test', 's pas', 's', 'service_worker_none\n']);
  });
});
