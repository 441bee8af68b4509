import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { InMemoryObjectStore } from '../../../../test/support/in-memory-object-store.js';
import { KeptValues, prefixOf, TOO_LARGE } from './kept-values.js';

const run = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
const other = { ...run, runId: '01J0000000000000000000000B' as RunId };
const reference = (value: string, mark = ''): string =>
  `blob://sha256/${createHash('sha256').update(value).digest('hex')}${mark}`;

let objects: InMemoryObjectStore;
let kept: KeptValues;
beforeEach(() => {
  objects = new InMemoryObjectStore();
  kept = new KeptValues(objects, run);
});

describe('a reference', () => {
  it('names a text by its content, and any other value by its JSON', async () => {
    expect(await kept.keepValue('é')).toEqual({ reference: reference('é'), bytes: 2 });
    expect(await kept.keepValue([1])).toEqual({ reference: reference('[1]', '#json'), bytes: 3 });
    expect(await kept.text(reference('[1]', '#json'), 3)).toBe('[1]');
  });

  it('is the same for the same value, however often it is kept', async () => {
    const value = Buffer.from('again');
    expect(await kept.keep(value)).toBe(await kept.keep(value));
  });

  it('keeps of bytes what is text', async () => {
    const bytes = Buffer.from([0x61, 0x00, 0xff, 0x62]);
    expect(await kept.text(await kept.keep(bytes), 4)).toBe('a\ufffd\ufffdb');
  });

  it('of another run stands for nothing here, nor does what is none', async () => {
    const foreign = await new KeptValues(objects, other).keep(Buffer.from('theirs'));
    expect(await kept.text(foreign, 100)).toBeUndefined();
    expect(await kept.text('blob://sha256/abc', 100)).toBeUndefined();
  });

  it('is gone with its run', async () => {
    const gone = await kept.keep(Buffer.from('x'));
    await objects.deleteAll(prefixOf(run));
    expect(await kept.text(gone, 1)).toBeUndefined();
    expect(await kept.end(gone, 1)).toBeUndefined();
    expect(await kept.beginning(gone, 1)).toBeUndefined();
  });
});

describe('of a kept text is read', () => {
  it('no more than is asked for', async () => {
    const text = await kept.keep(Buffer.from('12345é'));
    expect(await kept.text(text, 7)).toBe('12345é');
    expect(await kept.text(text, 6)).toBe(TOO_LARGE);
    expect(await kept.beginning(text, 6)).toBe('12345');
  });

  it.each([
    [10, 'end', 0],
    [1_048_576, 'end', 131_072],
    [2_500_000, 'end', 312_500],
  ])('the end, behind %d bytes', async (length, words, lines) => {
    const before = 'lines..\n'.repeat(length / 8);
    const end = await kept.end(await kept.keep(Buffer.from(`${before}${words}`)), 3);
    expect(end).toEqual({ end: words, linesBefore: Math.floor(length < 100 ? 1 : lines) });
  });
});
