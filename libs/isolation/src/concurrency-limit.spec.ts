import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { NoPlaceError } from './errors.js';

/** Work that goes on until it is told to end; `begun` lists what was begun, in order. */
function pieces() {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    begun,
    end: (name: string, error?: Error) => ends.get(name)!(error),
    work: (name: string) => () =>
      new Promise<string>((resolve, reject) => {
        begun.push(name);
        ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      }),
  };
}

describe('a concurrency limit', () => {
  it('lets so many go on, and the next when one has ended or failed', async () => {
    const { begun, end, work } = pieces();
    const limit = new ConcurrencyLimit(2, 2);
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => limit.run(work(name)));
    expect(begun).toEqual(['a', 'b']);

    end('b', new Error('broken'));
    await expect(b).rejects.toThrow('broken');
    expect(begun).toEqual(['a', 'b', 'c']);
    end('a');
    expect(await a).toBe('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    end('c');
    end('d');
    expect(await Promise.all([c, d])).toEqual(['c', 'd']);
  });

  it('refuses whom it cannot let wait, and takes them again later', async () => {
    const { end, work } = pieces();
    const limit = new ConcurrencyLimit(1, 1);
    const [a, b] = [limit.run(work('a')), limit.run(work('b'))];
    await expect(limit.run(work('c'))).rejects.toThrow(NoPlaceError);
    end('a');
    await a;
    const d = limit.run(work('d'));
    end('b');
    await b;
    end('d');
    expect(await d).toBe('d');
  });

  it('lets each who waits have a turn, however much another brought before', async () => {
    const { begun, end, work } = pieces();
    const limit = new ConcurrencyLimit(1, 2);
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => limit.run(work(name), name[0]));
    await expect(limit.run(work('a4'), 'a')).rejects.toThrow(NoPlaceError);
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
      expect(begun.at(-1)).toBe(name);
      end(name);
      await new Promise(setImmediate);
    }
    await Promise.all(all);
  });
});
