import { describe, expect, it } from '@jest/globals';
import { DatabaseUnavailableError } from './errors.js';
import { Batcher } from './batcher.js';

/** A database whose commits end when they are told to. */
function heldBack() {
  const batches: string[][] = [];
  const ends: ((failure?: Error) => void)[] = [];
  const flush = (items: readonly string[]) =>
    new Promise<string[]>((resolve, reject) => {
      batches.push([...items]);
      ends.push((failure) => (failure ? reject(failure) : resolve(items.map((item) => item.toUpperCase()))));
    });
  return { batches, flush, endNext: (failure?: Error) => ends.shift()!(failure) };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Batcher', () => {
  it('commits a lone item at once', async () => {
    const { batches, flush, endNext } = heldBack();
    const batcher = new Batcher(flush, { maxItems: 10, concurrency: 1 });
    const added = batcher.add('a');
    await turn();
    expect(batches).toEqual([['a']]);
    endNext();
    expect(await added).toBe('A');
  });

  it('gathers while a batch is under way, and gives each caller its own result', async () => {
    const { batches, flush, endNext } = heldBack();
    const batcher = new Batcher(flush, { maxItems: 10, concurrency: 1 });
    const first = batcher.add('a');
    await turn();
    const rest = ['b', 'c', 'd'].map((item) => batcher.add(item));
    await turn();
    expect(batches).toEqual([['a']]);
    endNext();
    await first;
    await turn();
    expect(batches).toEqual([['a'], ['b', 'c', 'd']]);
    endNext();
    expect(await Promise.all(rest)).toEqual(['B', 'C', 'D']);
  });

  it('sends no more items than a batch may hold, and no more batches than may be under way', async () => {
    const { batches, flush, endNext } = heldBack();
    const batcher = new Batcher(flush, { maxItems: 2, concurrency: 2 });
    const added = ['a', 'b', 'c', 'd', 'e'].map((item) => batcher.add(item));
    await turn();
    expect(batches).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    endNext();
    await turn();
    expect(batches[2]).toEqual(['e']);
    endNext();
    endNext();
    expect(await Promise.all(added)).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  it('sends each item again alone when a batch fails, so that only the culprit fails', async () => {
    const batches: string[][] = [];
    const flush = async (items: readonly string[]): Promise<string[]> => {
      batches.push([...items]);
      if (items.includes('bad')) throw new RangeError('bad');
      return items.map((item) => item.toUpperCase());
    };
    const batcher = new Batcher(flush, { maxItems: 10, concurrency: 1 });
    const results = await Promise.allSettled(['a', 'bad', 'c'].map((item) => batcher.add(item)));
    expect(results).toEqual([
      { status: 'fulfilled', value: 'A' },
      { status: 'rejected', reason: new RangeError('bad') },
      { status: 'fulfilled', value: 'C' },
    ]);
    expect(batches).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
  });

  it('fails all of a batch at once when the database is away', async () => {
    const { batches, flush, endNext } = heldBack();
    const batcher = new Batcher(flush, { maxItems: 10, concurrency: 1 });
    const added = ['a', 'b', 'c'].map((item) => batcher.add(item));
    await turn();
    const away = new DatabaseUnavailableError(new Error('connect ECONNREFUSED'));
    endNext(away);
    const results = await Promise.allSettled(added);
    expect(results).toEqual(results.map(() => ({ status: 'rejected', reason: away })));
    expect(batches).toHaveLength(1);
  });

  it('goes on after a failure', async () => {
    const { flush, endNext } = heldBack();
    const batcher = new Batcher(flush, { maxItems: 10, concurrency: 1 });
    const failing = batcher.add('a');
    await turn();
    const waiting = batcher.add('b');
    endNext(new Error('no'));
    await expect(failing).rejects.toThrow('no');
    await turn();
    endNext();
    expect(await waiting).toBe('B');
  });
});
