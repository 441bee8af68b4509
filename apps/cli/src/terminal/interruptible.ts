import { exitCodes } from '../server/exit-code.js';

/** As long as this after the first Ctrl-C, further ones are the same wish: people press it twice. */
const SAME_WISH_MS = 1_000;

/**
 * Does something that Ctrl-C ends: its signal aborts, and what it then says is said, however often the keys are pressed
 * within a second. A later Ctrl-C ends the process at once.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  let heardAt = 0;
  const hear = (): void => {
    if (interruption.signal.aborted && performance.now() - heardAt > SAME_WISH_MS) process.exit(exitCodes.interrupted);
    if (interruption.signal.aborted) return;
    heardAt = performance.now();
    interruption.abort();
  };
  process.on('SIGINT', hear);
  try {
    return await work(interruption.signal);
  } finally {
    process.removeListener('SIGINT', hear);
  }
}
