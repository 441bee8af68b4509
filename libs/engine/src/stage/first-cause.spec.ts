import { describe, expect, it } from '@jest/globals';
import { inOneLine, withFirstCause } from './first-cause.js';

const FAILED = 'Script failed with exit code: 3';

describe('a failure in one line', () => {
  it.each([
    ['is what it says', 'disk full', 'disk full'],
    ['ends with the last line of the output', `${FAILED}\n\n## output\nok 1\nnot ok 2\n\n`, `${FAILED}: not ok 2`],
    ['has nothing of an empty output', `${FAILED}\n\n## output\n\n`, FAILED],
    ['is its first line', 'first\nsecond', 'first'],
    ['is short', `${'x'.repeat(400)}\n\n## output\n${'y'.repeat(400)}`, `${'x'.repeat(300)}: ${'y'.repeat(300)}`],
  ])('%s', (_, message, line) => {
    expect(inOneLine(message)).toBe(line);
  });

  it('names what it came from, once', () => {
    expect(withFirstCause({ message: 'All failed', causes: ['stage a: no', 'stage b: no'] })).toBe(
      'All failed: stage a: no',
    );
    expect(withFirstCause({ message: 'stage a failed: no', causes: ['no'] })).toBe('stage a failed: no');
    expect(withFirstCause({ message: 'All failed' })).toBe('All failed');
  });
});
