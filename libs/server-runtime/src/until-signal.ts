/** Resolves with the first signal that asks this process to end. A second one ends it at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve(signal);
      });
    }
  });
}
