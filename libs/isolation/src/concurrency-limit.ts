import { NoPlaceError } from './errors.js';

/** Lets so many pieces of work go on at once and so many wait, the first to come the first to go on. */
export class ConcurrencyLimit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly mayWait: number,
  ) {}

  /** Throws {@link NoPlaceError} at once when as many wait as may. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.atOnce) this.running++;
    else if (this.waiting.length < this.mayWait) await new Promise<void>((go) => this.waiting.push(go));
    else throw new NoPlaceError('As much is being worked at as can be. Try again in a moment.');
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
