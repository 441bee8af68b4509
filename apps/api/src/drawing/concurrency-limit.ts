import { TooManyDrawingsError } from './errors.js';

/** Lets so many pieces of work go on at once and so many wait, the first to come the first to go on. */
export class ConcurrencyLimit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly mayWait: number,
  ) {}

  /** Throws {@link TooManyDrawingsError} at once when as many wait as may. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.atOnce) this.running++;
    else if (this.waiting.length < this.mayWait) await new Promise<void>((go) => this.waiting.push(go));
    else throw new TooManyDrawingsError();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
