import { ulidTimeMs } from '#libs/kernel';

/**
 * How far the moment of an id may lie from now when a client chooses it: the log is stored by month of that moment, in
 * places that are made ahead of time and removed when they are empty.
 */
const WINDOW_MS = 24 * 3_600_000;

/** The rest of a sentence about an id of another time, or nothing. */
export function runIdTimeProblem(id: string, nowMs: number): string | undefined {
  const idMs = ulidTimeMs(id);
  if (Math.abs(idMs - nowMs) <= WINDOW_MS) return undefined;
  const [from, to] = [nowMs - WINDOW_MS, nowMs + WINDOW_MS].map(momentOf);
  return `is a ULID of ${momentOf(idMs)}; choose one of a moment between ${from} and ${to}, or none`;
}

/** To the second; the last ULIDs lie beyond what a calendar of four digits holds. */
function momentOf(ms: number): string {
  return `${new Date(ms).toISOString().replace(/\.\d+Z$/, '')}Z`;
}
