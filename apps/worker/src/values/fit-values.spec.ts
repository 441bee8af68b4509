import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KeptMarks } from '#libs/events';
import { DEFAULT_TENANT, type Json, type RunId } from '#libs/kernel';
import { InMemoryObjectStore } from '../../../../test/support/in-memory-object-store.js';
import { fitValues, type FittedValues } from './fit-values.js';
import { KeptValues } from './kept-values.js';

const KIB = 1_024;
const run = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
/** A text whose JSON has so many bytes. */
const text = (bytes: number, letter = 'x'): string => letter.repeat(bytes - 2);
const reference = (value: string, mark = ''): string =>
  `blob://sha256/${createHash('sha256').update(value).digest('hex')}${mark}`;

let kept: KeptValues;
beforeEach(() => {
  kept = new KeptValues(new InMemoryObjectStore(), run);
});
const fit = (contextUpdates: Record<string, Json>, marks: KeptMarks = {}): Promise<FittedValues> =>
  fitValues({ contextUpdates, kept: marks }, kept);

describe('values of an outcome', () => {
  it('travel as they are while they are small, whatever they look like', async () => {
    const values = { n: 1, list: [null, { a: 'b' }], text: text(100 * KIB), blob: reference('x') };
    expect(await fit(values)).toEqual({ contextUpdates: values, kept: {} });
  });

  it('are kept elsewhere when a single one is too large: a text as itself, others as JSON', async () => {
    const long = text(100 * KIB + 1);
    const list: Json = [long];
    expect(await fit({ small: 1, long, list })).toEqual({
      contextUpdates: { small: 1, long: reference(long), list: reference(JSON.stringify(list), '#json') },
      kept: { long: 100 * KIB - 1, list: 100 * KIB + 3 },
    });
  });

  it('are kept elsewhere where there is little room, but for small ones, which are not worth it', async () => {
    const values = {
      a: text(2 * KIB),
      b: text(KIB),
      c: text(9 * KIB),
      ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [n, text(KIB)])),
    };
    const { contextUpdates, kept: marks } = await fitValues({ contextUpdates: values, kept: {} }, kept, 8 * KIB);
    expect(Object.keys(marks)).toEqual(['c', 'a']);
    expect(contextUpdates).toMatchObject({ a: reference(values.a), b: values.b, c: reference(values.c) });
  });

  it('are kept elsewhere when they are too large together, the largest first and no more than needed', async () => {
    const values = { a: text(40 * KIB, 'a'), b: text(60 * KIB, 'b'), c: text(30 * KIB, 'c') };
    expect((await fit(values)).contextUpdates).toEqual({ ...values, b: reference(values.b) });
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, text(10 * KIB, String(n % 10))]));
    const fitted = await fit(many);
    expect(Object.keys(fitted.kept)).toHaveLength(28);
    expect(Object.keys(fitted.contextUpdates)).toEqual(Object.keys(many));
  });

  it('are kept under whatever name they have', async () => {
    const own = <T>(value: T) => Object.fromEntries([['__proto__', value]]);
    const { contextUpdates, kept: marks } = await fit(own(text(100 * KIB + 1)));
    expect(Object.entries(contextUpdates)).toEqual([['__proto__', reference(text(100 * KIB + 1))]]);
    expect(Object.entries(marks)).toEqual([['__proto__', 100 * KIB - 1]]);
  });

  it('take their keys along, and fail by name where even references would be too many', async () => {
    const keys = Array.from({ length: 1_000 }, (_, n) => `${n}${'k'.repeat(60)}`);
    const small = Object.fromEntries(keys.map((key) => [key, 7]));
    expect((await fit(small)).contextUpdates).toEqual(small);
    const medium = Object.fromEntries(keys.map((key) => [key, text(200)]));
    await expect(fit(medium)).rejects.toThrow(/The 1000 context values .* do not fit into one event/);
    const long = { ['k'.repeat(300 * KIB)]: 1 };
    await expect(fit(long)).rejects.toThrow(/do not fit/);
  });

  it('count in bytes, not in characters', async () => {
    const wide = 'é'.repeat(51 * KIB);
    expect((await fit({ wide })).contextUpdates).toEqual({ wide: reference(wide) });
  });

  it('are kept with what they refer to in its place, so that a reference never leads to another', async () => {
    const inner = await kept.keepValue('made');
    const results = [{ context_updates: { out: inner.reference } }, text(100 * KIB), inner.reference];
    const marks = { results: { 0: { context_updates: { out: inner.bytes } } } };
    const whole = JSON.stringify([{ context_updates: { out: 'made' } }, text(100 * KIB), inner.reference]);
    expect(await fit({ results }, marks)).toEqual({
      contextUpdates: { results: reference(whole, '#json') },
      kept: { results: whole.length },
    });
  });

  it('keep their references while they are small', async () => {
    const values = { results: [reference('a')], out: reference('b') };
    const marks = { results: { 0: 1 }, out: 1 };
    expect(await fit(values, marks)).toEqual({ contextUpdates: values, kept: marks });
  });
});
