/** Waits until a claim holds; fails with its description when it does not come true in time. */
export async function until(claim: () => boolean | Promise<boolean>, what: string, timeoutMs = 5_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await claim())) {
    if (performance.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
