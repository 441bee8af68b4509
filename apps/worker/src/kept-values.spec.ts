import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_TENANT, type Json, type RunId } from '#libs/kernel';
import { InMemoryObjectStore } from '../../../test/support/in-memory-object-store.js';
import { KeptValues, prefixOf } from './kept-values.js';

const KIB = 1_024;
const run = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
const n = 7;
const other = { ...run, runId: '01J0000000000000000000000B' as RunId };
/** A text whose JSON has so many bytes. */
const text = (bytes: number, letter = 'x'): string => letter.repeat(bytes - 2);
const reference = (value: string, mark = ''): string =>
  `blob://sha256/${createHash('sha256').update(value).digest('hex')}${mark}`;

let objects: InMemoryObjectStore;
let kept: KeptValues;
beforeEach(() => {
  objects = new InMemoryObjectStore();
  kept = new KeptValues(objects, run);
});

describe('values of an outcome', () => {
  it('travel as they are while they are small', async () => {
    const values = { n: 1, list: [null, { a: 'b' }], text: text(100 * KIB) };
    expect(await kept.fit(values)).toEqual(values);
  });

  it('are kept elsewhere when a single one is too large: a text as itself, others as JSON', async () => {
    const long = text(100 * KIB + 1);
    const list: Json = [long];
    expect(await kept.fit({ small: 1, long, list })).toEqual({
      small: 1,
      long: reference(long),
      list: reference(JSON.stringify(list), '#json'),
    });
  });

  it('are kept elsewhere when they are too large together, the largest first and no more than needed', async () => {
    const values = { a: text(40 * KIB, 'a'), b: text(60 * KIB, 'b'), c: text(30 * KIB, 'c') };
    expect(await kept.fit(values)).toEqual({ ...values, b: reference(values.b) });
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, text(10 * KIB, String(n % 10))]));
    const fitted = await kept.fit(many);
    const travelling = Object.values(fitted).filter((value) => !(value as string).startsWith('blob:'));
    expect(travelling).toHaveLength(12);
    expect(Object.keys(fitted)).toEqual(Object.keys(many));
  });

  it('are kept under whatever name they have', async () => {
    const own = (value: string) => Object.fromEntries([['__proto__', value]]);
    const fitted = await kept.fit(own(text(100 * KIB + 1)));
    expect(Object.entries(fitted)).toEqual([['__proto__', reference(text(100 * KIB + 1))]]);
  });

  it('take their keys along, and fail by name where even references would be too many', async () => {
    const keys = Array.from({ length: 1_000 }, (_, n) => `${n}${'k'.repeat(60)}`);
    const small = Object.fromEntries(keys.map((key) => [key, n]));
    expect(await kept.fit(small)).toEqual(small);
    const medium = Object.fromEntries(keys.map((key) => [key, text(200)]));
    await expect(kept.fit(medium)).rejects.toThrow(/The 1000 context values .* do not fit into one event/);
    const long = { ['k'.repeat(300 * KIB)]: 1 };
    await expect(kept.fit(long)).rejects.toThrow(/do not fit/);
  });

  it('count in bytes, not in characters', async () => {
    const wide = 'é'.repeat(51 * KIB);
    expect(await kept.fit({ wide })).toEqual({ wide: reference(wide) });
  });
});

describe('a reference', () => {
  it('stands for what was kept, whatever it was', async () => {
    const values = { long: 'x'.repeat(200 * KIB), list: ['y'.repeat(200 * KIB), 1] };
    const { long = null, list = null } = await kept.fit(values);
    expect([await kept.resolve(long), await kept.resolve(list)]).toEqual([values.long, values.list]);
    expect(await kept.text(list)).toBe(JSON.stringify(values.list));
  });

  it('stands for it wherever in a value it is, also behind another one', async () => {
    const made = await kept.keep(Buffer.from('made'));
    const results: Json = [{ id: 'a', context_updates: { 'command.output': made } }, [made, 1, null]];
    const told = [{ id: 'a', context_updates: { 'command.output': 'made' } }, ['made', 1, null]];
    expect(await kept.resolve(results)).toEqual(told);
    const { large } = await kept.fit({ large: [...results, text(100 * KIB)] });
    expect(await kept.resolve(large)).toEqual([...told, text(100 * KIB)]);
  });

  it('in a kept text is part of the text', async () => {
    const made = await kept.keep(Buffer.from('made'));
    expect(await kept.resolve(await kept.keep(Buffer.from(made)))).toBe(made);
  });

  it('keeps of bytes what is text', async () => {
    const bytes = Buffer.from([0x61, 0x00, 0xff, 0x62]);
    expect(await kept.text(await kept.keep(bytes))).toBe('a\ufffd\ufffdb');
  });

  it('is the same for the same value, however often it is kept', async () => {
    const value = Buffer.from('again');
    expect(await kept.keep(value)).toBe(await kept.keep(value));
  });

  it('of another run stands for nothing here, and is a value like any other', async () => {
    const foreign = await new KeptValues(objects, other).keep(Buffer.from('theirs'));
    expect(await kept.resolve(foreign)).toBe(foreign);
    expect(await kept.text(foreign)).toBeUndefined();
  });

  it.each<Json>([null, 7, 'blob://sha256/abc', 'a blob://sha256/', ['blob://sha256/abc']])(
    'is not %j',
    async (value) => {
      expect(await kept.resolve(value)).toEqual(value);
      expect(await kept.text(value)).toBeUndefined();
    },
  );

  it('is gone with its run', async () => {
    const gone = await kept.keep(Buffer.from('x'));
    await objects.deleteAll(prefixOf(run));
    expect(await kept.resolve(gone)).toBe(gone);
  });
});
