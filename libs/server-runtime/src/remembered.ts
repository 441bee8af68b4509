import { monotonicMs } from '#libs/kernel';

/**
 * A reading that is shared: whoever asks while one is under way, or within `ms` of its beginning, gets the same. One that
 * failed is shared only while it is under way.
 */
export function remembered<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let latest: { begunAtMs: number; reading: Promise<T> } | undefined;
  return () => {
    const now = monotonicMs();
    if (latest && now - latest.begunAtMs < ms) return latest.reading;
    const mine = { begunAtMs: now, reading: read() };
    latest = mine;
    mine.reading.catch(() => {
      if (latest === mine) latest = undefined;
    });
    return mine.reading;
  };
}
