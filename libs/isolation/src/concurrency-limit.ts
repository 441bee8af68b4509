import { NoPlaceError } from './errors.js';

/**
 * Lets so many pieces of work go on at once and so many wait for each who brings some. Those who wait take turns, and in
 * the turn of each the first to come is the first to go on.
 */
export class ConcurrencyLimit {
  private running = 0;
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(
    private readonly atOnce: number,
    private readonly mayWait: number,
  ) {}

  /** Throws {@link NoPlaceError} at once when as many of `who` wait as may. */
  async run<T>(work: () => Promise<T>, who = ''): Promise<T> {
    if (this.running < this.atOnce) this.running++;
    else await this.turnOf(who);
    try {
      return await work();
    } finally {
      const next = this.next();
      if (next) next();
      else this.running--;
    }
  }

  private turnOf(who: string): Promise<void> {
    const queue = this.waiting.get(who) ?? [];
    if (queue.length >= this.mayWait) {
      throw new NoPlaceError('As much is being worked at as can be. Try again in a moment.');
    }
    this.waiting.set(who, queue);
    return new Promise((go) => queue.push(go));
  }

  /** The first of whose turn it is, who then waits behind all others. */
  private next(): (() => void) | undefined {
    const [turn] = this.waiting;
    if (!turn) return undefined;
    const [who, queue] = turn;
    const go = queue.shift();
    this.waiting.delete(who);
    if (queue.length > 0) this.waiting.set(who, queue);
    return go;
  }
}
