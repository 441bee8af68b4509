/** Frames that are written together: one buffer for all who read from the same place. */
export interface LogChunk {
  readonly bytes: Buffer;
  readonly events: number;
  /** Where to read on. */
  readonly next: number;
}

/**
 * What a feed holds from a place on: frames, nothing yet, or nothing ever again. `nextSeq` says where its next event
 * comes when the feed was found to end before that place: a reader beyond it has read events that are lost.
 */
export type Look =
  | { readonly kind: 'piece'; readonly piece: LogChunk }
  | { readonly kind: 'nothing' | 'over'; readonly nextSeq?: number };

export const NOTHING: Look = { kind: 'nothing' };
export const FEED_IS_OVER: Look = { kind: 'over' };

/** Frames in an order that many readers share, each at a place of its own. */
export interface Feed {
  /** A mark to give to {@link afterChange}; take it before looking. */
  now(): number;

  /** Calls back once something may have changed since the mark, at once if it already has. */
  afterChange(mark: number, wake: () => void): void;

  look(from: number): Promise<Look>;
}

const PIECE_BYTES = 64 * 1024;

/** As many frames as make up a piece, at least one; `frames[0]` has the place `from`. */
export function cutPiece(frames: readonly Buffer[], from: number): LogChunk {
  let count = 0;
  let bytes = 0;
  for (const frame of frames) {
    if (count > 0 && bytes + frame.length > PIECE_BYTES) break;
    count += 1;
    bytes += frame.length;
  }
  const [first] = frames;
  const joined = count === 1 && first ? first : Buffer.concat(frames.slice(0, count), bytes);
  return { bytes: joined, events: count, next: from + count };
}
