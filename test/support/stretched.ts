const SAMPLE_CPU_MS = 30;

/**
 * A bound of so many milliseconds on a machine that is free, and as much more as work takes longer on this one now, since
 * others work on it too. For promises about time; a wait for a fact needs none.
 */
export function stretched(ms: number): number {
  const beganMs = performance.now();
  const began = process.cpuUsage();
  for (let cpuMs = 0; cpuMs < SAMPLE_CPU_MS;) {
    const { user, system } = process.cpuUsage(began);
    cpuMs = (user + system) / 1_000;
  }
  return ms * Math.max(1, (performance.now() - beganMs) / SAMPLE_CPU_MS);
}
