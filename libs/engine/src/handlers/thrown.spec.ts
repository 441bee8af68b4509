import { describe, expect, it } from '@jest/globals';
import { RunyardError } from '#libs/kernel';
import { erroredBy, isDefect } from './thrown.js';

class FaultOf extends RunyardError {
  constructor(
    readonly kind: RunyardError['kind'],
    message: string,
  ) {
    super(message);
  }
}

describe('what cuts an attempt off', () => {
  it.each([
    ['an unavailable part, which is tried again', new FaultOf('unavailable', 'gone'), 'transient_infra', true, false],
    ['any other fault of ours, which is not', new FaultOf('invalid', 'gone'), 'deterministic', false, false],
    ['a defect, which is not either', new TypeError('gone'), 'deterministic', false, true],
    ['something that is no error', 'gone', 'deterministic', false, true],
  ])('is %s', (_, thrown, category, retryable, defect) => {
    expect(erroredBy(thrown)).toEqual({ kind: 'error', failure: { message: 'gone', category }, retryable });
    expect(isDefect(thrown)).toBe(defect);
  });
});
