/** The first looks follow each other closely; what takes longer is looked at less often. */
const FIRST_MS = 5;
const MORE = 1.2;
const LAST_MS = 50;

/**
 * Waits until a claim holds; fails with its description when it does not come true in time. Only the rests between two
 * looks count, so that a busy machine, on which everything takes longer, has longer.
 */
export async function until(claim: () => boolean | Promise<boolean>, what: string, timeoutMs = 10_000): Promise<void> {
  let waitedMs = 0;
  for (let rest = FIRST_MS; !(await claim()); rest = Math.min(rest * MORE, LAST_MS)) {
    if (waitedMs > timeoutMs) throw new Error(`Not within ${timeoutMs} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, rest));
    waitedMs += rest;
  }
}
