import { describe, expect, it } from '@jest/globals';
import { SharedTurn } from './shared-turn.js';

describe('a shared turn', () => {
  it('ends when its time is spent, so that others are served between two long pieces of work', async () => {
    let now = 0;
    const turn = new SharedTurn(() => now);
    const order: string[] = [];
    const work = (name: string) => () => {
      now += 15;
      order.push(name);
    };
    setImmediate(() => order.push('somebody else'));
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => turn.run(work(name))));
    expect(order).toEqual(['a', 'b', 'somebody else', 'c', 'd']);
  });

  it('hands on what the work throws', async () => {
    const failing = new SharedTurn().run(() => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
  });
});
