import { describe, expect, it } from '@jest/globals';
import { CloseStack, openWhole } from './close-stack.js';

describe('CloseStack', () => {
  it('closes the last first, each once, and waits for it', async () => {
    const closed: string[] = [];
    const stack = new CloseStack();
    for (const name of ['a', 'b', 'c']) {
      const opened = stack.add(name, async (it) => {
        await Promise.resolve();
        closed.push(it);
      });
      expect(opened).toBe(name);
    }
    await stack.close();
    await stack.close();
    expect(closed).toEqual(['c', 'b', 'a']);
  });

  it('closes the rest when one cannot be closed, and says so', async () => {
    const closed: string[] = [];
    const stack = new CloseStack();
    stack.add('a', (it) => closed.push(it));
    stack.add('b', () => Promise.reject(new RangeError('b')));
    stack.add('c', () => {
      throw new RangeError('c');
    });
    await expect(stack.close()).rejects.toThrow('c');
    expect(closed).toEqual(['a']);
  });
});

describe('openWhole', () => {
  it('leaves open what was opened, when nothing fails', async () => {
    const closed: string[] = [];
    const stack = await openWhole(async (opened) => {
      opened.add('a', (it) => closed.push(it));
      return opened;
    });
    expect(closed).toEqual([]);
    await stack.close();
    expect(closed).toEqual(['a']);
  });

  it('closes it when a later part fails, with that fault, whatever closing does', async () => {
    const closed: string[] = [];
    const failed = openWhole(async (opened) => {
      opened.add('a', (it) => closed.push(it));
      opened.add('b', () => Promise.reject(new Error('not closed')));
      throw new RangeError('c cannot be opened');
    });
    await expect(failed).rejects.toThrow(new RangeError('c cannot be opened'));
    expect(closed).toEqual(['a']);
  });
});
