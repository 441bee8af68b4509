const MIB = 1024 * 1024;

/** The first bytes of an output are kept where they fall; after them the file is a ring that keeps the last ones. */
export const HEAD_BYTES = 32 * MIB;
export const TAIL_BYTES = 32 * MIB;

/** A stretch of the output's file. */
export interface Slice {
  position: number;
  length: number;
}

/** True when an output of so many bytes has lost its middle. */
export function isTruncated(bytes: number): boolean {
  return bytes > HEAD_BYTES + TAIL_BYTES;
}

/** The first byte after the head that is still kept once `bytes` were written. */
export function tailStart(bytes: number): number {
  return Math.max(HEAD_BYTES, bytes - TAIL_BYTES);
}

/** Where the bytes `[from, to)` of the output lie in its file; at most one ring long. */
export function slicesOf(from: number, to: number): Slice[] {
  const slices: Slice[] = [];
  for (let at = from; at < to;) {
    const ringAt = (at - HEAD_BYTES) % TAIL_BYTES;
    const [position, room] = at < HEAD_BYTES ? [at, HEAD_BYTES - at] : [HEAD_BYTES + ringAt, TAIL_BYTES - ringAt];
    const length = Math.min(room, to - at);
    slices.push({ position, length });
    at += length;
  }
  return slices;
}
