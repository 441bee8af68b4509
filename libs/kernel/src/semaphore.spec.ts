import { expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { Semaphore } from './semaphore.js';

/** Takes amounts in order and tells which were granted. */
class Takers {
  readonly granted: string[] = [];
  private readonly back = new Map<string, () => void>();

  constructor(private readonly semaphore: Semaphore) {}

  async ask(name: string, amount: number, signal?: AbortSignal): Promise<void> {
    this.semaphore.take(amount, signal).then(
      (giveBack) => {
        this.granted.push(name);
        this.back.set(name, giveBack);
      },
      (reason: Error) => void this.granted.push(`${name}: ${reason.message}`),
    );
    await setImmediate();
  }

  async giveBack(name: string): Promise<void> {
    this.back.get(name)!();
    await setImmediate();
  }
}

it('gives what is left, and the rest to those who wait, in their order', async () => {
  const takers = new Takers(new Semaphore(10));
  await takers.ask('a', 6);
  await takers.ask('b', 6);
  await takers.ask('c', 1);
  expect(takers.granted).toEqual(['a']);
  await takers.giveBack('a');
  expect(takers.granted).toEqual(['a', 'b', 'c']);
});

it('gives all there is to who asks for more', async () => {
  const takers = new Takers(new Semaphore(10));
  await takers.ask('a', 1);
  await takers.ask('b', 50);
  expect(takers.granted).toEqual(['a']);
  await takers.giveBack('a');
  expect(takers.granted).toEqual(['a', 'b']);
});

it('takes an amount back once', async () => {
  const takers = new Takers(new Semaphore(10));
  await takers.ask('a', 10);
  await takers.giveBack('a');
  await takers.giveBack('a');
  await takers.ask('b', 10);
  await takers.ask('c', 10);
  expect(takers.granted).toEqual(['a', 'b']);
});

it('lets who does not wait any more go, and serves those behind', async () => {
  const takers = new Takers(new Semaphore(10));
  const abort = new AbortController();
  await takers.ask('a', 6);
  await takers.ask('b', 8, abort.signal);
  await takers.ask('c', 4);
  abort.abort(new Error('called off'));
  await setImmediate();
  expect(takers.granted).toEqual(['a', 'b: called off', 'c']);
  await takers.ask('d', 1, abort.signal);
  expect(takers.granted.at(-1)).toBe('d: called off');
});
