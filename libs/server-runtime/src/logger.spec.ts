import { expect, it } from '@jest/globals';
import { createLogger } from './logger.js';

function lines(): { written: Record<string, unknown>[]; write(line: string): void } {
  const written: Record<string, unknown>[] = [];
  return { written, write: (line) => void written.push(JSON.parse(line) as Record<string, unknown>) };
}

it('writes a sentence with its values and those of its child, one JSON object a line', () => {
  const out = lines();
  createLogger('info', 'runyard', out).child({ worker: 'ann' }).info({ slots: 4 }, 'The worker is ready.');
  expect(out.written).toEqual([
    { level: 30, time: expect.any(String), service: 'runyard', worker: 'ann', slots: 4, msg: 'The worker is ready.' },
  ]);
});

it('tells an error with its stack and its causes, and nothing else that hangs on it', () => {
  const out = lines();
  const cause = Object.assign(new RangeError('too far'), { password: 'hunter2' });
  createLogger('info', 'x', out).error({ error: new Error('It broke.', { cause }) }, 'Something broke.');
  expect(out.written).toEqual([expect.objectContaining({ error: expect.objectContaining({ type: 'Error' }) })]);
  const { message, stack } = out.written[0]!.error as { message: string; stack: string };
  expect(message).toContain('too far');
  expect(stack).toMatch(/It broke[^]*logger\.spec[^]*RangeError: too far[^]*logger\.spec/);
  expect(JSON.stringify(out.written)).not.toContain('hunter2');
});

it('keeps a sentence that stands for an error', () => {
  const out = lines();
  createLogger('info', 'x', out).warn({ error: 'no route' }, 'Away.');
  expect(out.written).toEqual([expect.objectContaining({ error: 'no route' })]);
});
