import { expect, it } from '@jest/globals';
import { outputTail } from './output-tail.js';

it.each([
  ['', '(empty)'],
  [' \n\n', '(empty)'],
  ['one\ntwo\n', 'one\ntwo'],
  ['one\ntwo\nthree\nfour', '(1 lines omitted)\ntwo\nthree\nfour'],
])('the end of %j is %j', (output, tail) => {
  expect(outputTail(output, 3)).toBe(tail);
});

it('a long line is shown from where its end fits, and never with half a character', () => {
  const tail = outputTail(`${'😀'.repeat(10_000)}.`, 3);
  expect(tail).toHaveLength(8 * 1024);
  expect(tail.isWellFormed()).toBe(true);
  expect(tail.endsWith('😀.')).toBe(true);
});
