/** The same instant as the kernel's `monotonicMs`; the runner loads nothing but its own folder, so that it stays small. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
