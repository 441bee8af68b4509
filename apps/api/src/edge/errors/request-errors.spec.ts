import { describe, expect, it } from '@jest/globals';
import { InvalidRequestError } from './request-errors.js';

const faults = (count: number): string[] => Array.from({ length: count }, (_, i) => `Fault ${i}.`);

describe('an invalid request', () => {
  it('says up to twenty faults one by one', () => {
    expect(new InvalidRequestError(faults(20)).faults).toEqual(faults(20));
  });

  it('counts those beyond, so that its answer is small whatever was sent', () => {
    expect(new InvalidRequestError(faults(21)).faults.at(-1)).toBe('1 more fault is not listed.');
    const many = new InvalidRequestError(faults(100_000));
    expect(many.faults).toHaveLength(21);
    expect(many.faults.at(-1)).toBe('99980 more faults are not listed.');
    expect(many.message.length).toBeLessThan(500);
  });
});
