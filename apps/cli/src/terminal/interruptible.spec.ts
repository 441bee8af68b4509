import { afterEach, expect, it, jest } from '@jest/globals';
import { interruptible } from './interruptible.js';

const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
const now = jest.spyOn(performance, 'now');
afterEach(() => void exit.mockClear());

/** Work that goes on until somebody lets it end. */
function working(): { result: Promise<boolean>; end: () => void } {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { result: interruptible((signal) => ended.then(() => signal.aborted)), end };
}

it('lets the work end by itself, however often the keys are pressed within a second', async () => {
  const { result, end } = working();
  now.mockReturnValue(5_000);
  process.emit('SIGINT');
  now.mockReturnValue(5_900);
  process.emit('SIGINT');
  end();
  expect(await result).toBe(true);
  expect(exit).not.toHaveBeenCalled();
});

it('ends the process when somebody presses them later', async () => {
  const { result, end } = working();
  now.mockReturnValue(5_000);
  process.emit('SIGINT');
  now.mockReturnValue(6_100);
  process.emit('SIGINT');
  expect(exit).toHaveBeenCalledWith(130);
  end();
  await result;
});

it('listens no longer than the work lasts', async () => {
  const before = process.listenerCount('SIGINT');
  const { result, end } = working();
  end();
  expect(await result).toBe(false);
  expect(process.listenerCount('SIGINT')).toBe(before);
});
