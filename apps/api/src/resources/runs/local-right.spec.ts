import { describe, expect, it } from '@jest/globals';
import { requireLocalParent } from './local-right.js';

describe('the right to a run on the machine of the server', () => {
  it('is what a run has that works there itself, and no other run', () => {
    expect(() => requireLocalParent('local')).not.toThrow();
    expect(() => requireLocalParent('docker')).toThrow('work in a sandbox of the provider docker');
  });
});
