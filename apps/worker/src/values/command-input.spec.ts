import { beforeEach, expect, it } from '@jest/globals';
import { buffer, text } from 'node:stream/consumers';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { InMemoryObjectStore } from '../../../../test/support/in-memory-object-store.js';
import { inputOf, type InputEntry } from './command-input.js';
import { KeptValues, prefixOf } from './kept-values.js';

const run = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
const MIB = 1024 * 1024;

let objects: InMemoryObjectStore;
let kept: KeptValues;
let held: number;
let most: number;
beforeEach(() => {
  objects = new InMemoryObjectStore();
  kept = new KeptValues(objects, run);
  held = most = 0;
});

const memory = {
  reserve: async (bytes: number): Promise<void> => void (most = Math.max(most, (held = bytes))),
  free: (): void => void (held = 0),
};
const read = async (entry: InputEntry, maxBytes = 99): Promise<string> =>
  text((await inputOf(kept, 'a', entry, maxBytes, memory))());

it('is a text as it is, anything else as compact JSON', async () => {
  expect(await read({ value: 'line\n' })).toBe('line\n');
  expect(await read({ value: { a: [1, true] } })).toBe('{"a":[1,true]}');
  const { reference, bytes } = await kept.keepValue({ a: [1] });
  expect(await read({ value: reference, mark: bytes })).toBe('{"a":[1]}');
  expect(most).toBe(0);
  expect(await read({ value: [reference], mark: { 0: bytes } })).toBe('[{"a":[1]}]');
  expect([most, held]).toEqual([16 * bytes, 0]);
});

it('is a value that was kept as a whole byte for byte, in pieces, wherever characters are cut', async () => {
  const whole = Buffer.from(`\ufeff${'é€😀\r\n'.repeat(300_000)}end`);
  const mark = whole.byteLength;
  const input = await inputOf(kept, 'a', { value: await kept.keep(whole), mark }, mark, memory);
  let largest = 0;
  for await (const piece of input()) largest = Math.max(largest, piece.byteLength);
  expect(largest).toBeLessThan(MIB + 4);
  expect((await buffer(input())).equals(whole)).toBe(true);
  expect(most).toBe(0);
});

it('is refused by name where it is larger than its reader takes', async () => {
  const { reference, bytes } = await kept.keepValue('x'.repeat(2 * MIB));
  await expect(inputOf(kept, 'a', { value: reference, mark: bytes }, bytes - 1, memory)).rejects.toThrow(
    `The value "a" cannot be read here: with the large values that it refers to it takes more than ${bytes - 1} bytes.`,
  );
  await expect(read({ value: 'x'.repeat(20) }, 10)).rejects.toThrow('it takes more than 10 bytes');
  const five = Array.from({ length: 5 }, () => reference);
  const marks = Object.fromEntries(five.map((_, place) => [place, bytes]));
  await expect(inputOf(kept, 'a', { value: five, mark: marks }, 99, memory)).rejects.toThrow('8388608 bytes');
});

it('is its reference where what that names is gone, and an error where that happens while it is read', async () => {
  const whole = Buffer.alloc(2 * MIB, 'x');
  const reference = await kept.keep(whole);
  const entry = { value: reference, mark: whole.byteLength };
  const input = await inputOf(kept, 'a', entry, 3 * MIB, memory);
  await objects.deleteAll(prefixOf(run));
  await expect(text(input())).rejects.toThrow('A large value was removed while it was read.');
  expect(await read(entry)).toBe(reference);
});
