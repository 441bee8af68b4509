import { describe, expect, it } from '@jest/globals';
import { HEAD_BYTES, isTruncated, slicesOf, TAIL_BYTES, tailStart } from './kept-output.js';

const CAP = HEAD_BYTES + TAIL_BYTES;

describe('the kept part of an output', () => {
  it('lies in the file as it was written until the file is full', () => {
    expect(slicesOf(0, 10)).toEqual([{ position: 0, length: 10 }]);
    expect(slicesOf(HEAD_BYTES - 5, HEAD_BYTES + 5)).toEqual([
      { position: HEAD_BYTES - 5, length: 5 },
      { position: HEAD_BYTES, length: 5 },
    ]);
    expect(isTruncated(CAP)).toBe(false);
  });

  it('goes round behind the head from then on', () => {
    expect(isTruncated(CAP + 1)).toBe(true);
    expect(slicesOf(CAP - 3, CAP + 4)).toEqual([
      { position: CAP - 3, length: 3 },
      { position: HEAD_BYTES, length: 4 },
    ]);
  });

  it('holds the last bytes in order, wherever the ring begins', () => {
    const bytes = CAP + 2 * TAIL_BYTES + 7;
    const slices = slicesOf(tailStart(bytes), bytes);
    expect(slices).toEqual([
      { position: HEAD_BYTES + 7, length: TAIL_BYTES - 7 },
      { position: HEAD_BYTES, length: 7 },
    ]);
  });
});
