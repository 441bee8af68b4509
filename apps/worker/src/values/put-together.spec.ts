import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KeptMark } from '#libs/events';
import { DEFAULT_TENANT, type Json, type RunId } from '#libs/kernel';
import { InMemoryObjectStore } from '../../../../test/support/in-memory-object-store.js';
import { KeptValues } from './kept-values.js';
import { KeptValueTooLargeError, putTogether, textOf } from './put-together.js';

const run = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
const MIB = 1024 * 1024;

let reads: number;
let kept: KeptValues;
beforeEach(() => {
  reads = 0;
  const objects = new (class extends InMemoryObjectStore {
    override async getRange(key: string, start: number, end: number): Promise<Uint8Array | undefined> {
      reads++;
      return super.getRange(key, start, end);
    }
  })();
  kept = new KeptValues(objects, run);
});
const together = (value: Json, mark?: KeptMark): Promise<Json> => putTogether(kept, 'results', value, mark);

describe('a value', () => {
  it('has in its places what its references stand for, whatever that was', async () => {
    const [text, list] = [await kept.keepValue('made'), await kept.keepValue([1, 'x'])];
    const value = [{ id: 'a', context_updates: { out: text.reference, list: list.reference } }, 7, text.reference];
    const mark = { 0: { context_updates: { out: text.bytes, list: list.bytes } }, 2: text.bytes };
    expect(await together(value, mark)).toEqual([
      { id: 'a', context_updates: { out: 'made', list: [1, 'x'] } },
      7,
      'made',
    ]);
    expect(reads).toBe(2);
  });

  it('is what an author wrote where nothing is marked, whatever it looks like', async () => {
    const { reference } = await kept.keepValue('made');
    expect(await together(reference)).toBe(reference);
    expect(await together([reference, { a: reference }], { 1: { b: 4 } })).toEqual([reference, { a: reference }]);
    expect(reads).toBe(0);
  });

  it('is not searched for references behind a reference', async () => {
    const { reference } = await kept.keepValue('made');
    const outer = await kept.keepValue([reference]);
    expect(await together(outer.reference, outer.bytes)).toEqual([reference]);
  });

  it('is left as it is where a mark fits nothing in it, or its object is gone', async () => {
    const gone = `blob://sha256/${'a'.repeat(64)}`;
    const value = [gone, 7, null, { a: 1 }];
    expect(await together(value, { 0: 9, 1: 9, 2: { a: 9 }, 3: { b: 9, a: { c: 9 } }, 9: 9 })).toEqual(value);
  });

  it('of more than 8 MiB is refused by name before anything is read', async () => {
    const { reference } = await kept.keepValue('x'.repeat(MIB));
    const nine = Array.from({ length: 9 }, () => reference);
    const marks = Object.fromEntries(nine.map((_, place) => [place, MIB]));
    await expect(together(nine, marks)).rejects.toThrow(KeptValueTooLargeError);
    await expect(together(nine, marks)).rejects.toThrow(
      'The value "results" cannot be read here: with the large values that it refers to it takes more than 8388608 bytes or 1000 references.',
    );
    expect(reads).toBe(0);
    expect(await together(nine.slice(1), marks)).toHaveLength(8);
  });

  it('of more than 1,000 references is refused by name', async () => {
    const { reference, bytes } = await kept.keepValue('x');
    const many = Array.from({ length: 1_001 }, () => reference);
    const marks = Object.fromEntries(many.map((_, place) => [place, bytes]));
    await expect(together(many, marks)).rejects.toThrow('more than 8388608 bytes or 1000 references');
    expect(await together(many.slice(1), marks)).toHaveLength(1_000);
  });

  it.each([1, 9])(
    'of an older version, whose sizes nobody knows, is refused while it is read: %d times',
    async (times) => {
      const { reference } = await kept.keepValue('x'.repeat(times === 1 ? 9 * MIB : MIB));
      const all = Array.from({ length: times }, () => reference);
      const marks = Object.fromEntries(all.map((_, place) => [place, 0]));
      await expect(together(all, marks)).rejects.toThrow(KeptValueTooLargeError);
    },
  );
});

describe('the text of a value', () => {
  it('is itself, or compact JSON', async () => {
    expect(await textOf(kept, 'a', { value: 'line\n' }, 9)).toBe('line\n');
    expect(await textOf(kept, 'a', { value: { a: [1, true] } }, 99)).toBe('{"a":[1,true]}');
    const { reference, bytes } = await kept.keepValue({ a: [1] });
    expect(await textOf(kept, 'a', { value: reference, mark: bytes }, 99)).toBe('{"a":[1]}');
    expect(await textOf(kept, 'a', { value: [reference], mark: { 0: bytes } }, 99)).toBe('[{"a":[1]}]');
  });

  it('of one value that was kept as a whole may be as large as its reader takes', async () => {
    const { reference, bytes } = await kept.keepValue('x'.repeat(9 * MIB));
    expect(await textOf(kept, 'a', { value: reference, mark: bytes }, 9 * MIB)).toHaveLength(9 * MIB);
    for (const value of [reference, 'x'.repeat(20)]) {
      const entry = { value, ...(value === reference && { mark: bytes }) };
      await expect(textOf(kept, 'a', entry, 10)).rejects.toThrow('it takes more than 10 bytes');
    }
  });
});
