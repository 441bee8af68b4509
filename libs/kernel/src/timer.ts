/** The timers of the system know no longer time; they take one for none and fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls back once so many milliseconds have passed, however many they are. Returns what calls it off. */
export function callAfter(ms: number, due: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    const partMs = Math.min(leftMs, LONGEST_TIMER_MS);
    timer = setTimeout(() => (leftMs > partMs ? wait(leftMs - partMs) : due()), partMs);
  };
  wait(Math.max(0, ms));
  return () => clearTimeout(timer);
}

/**
 * A limit of time, however long: its signal aborts with a `TimeoutError` when it is over. Whoever is done before that ends
 * it.
 */
export class TimeLimit {
  private readonly abort = new AbortController();
  private readonly callOff: () => void;

  constructor(ms: number) {
    const over = (): void => this.abort.abort(timeoutError());
    this.callOff = callAfter(ms, over);
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  end(): void {
    this.callOff();
  }
}

/** As the platform's own limits say it. */
function timeoutError(): DOMException {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError');
}
