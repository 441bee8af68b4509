import { DatabaseUnavailableError } from './errors.js';

/** A waiting item with the promise its caller holds. */
interface Waiting<Item, Result> {
  item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Many callers, one statement: while a batch is on its way to the database the next one gathers, and leaves as soon as
 * the first is back. Nobody waits for a timer, so an idle system sends each item at once. Who asks for something sees
 * what was committed before he asked.
 *
 * When a batch is refused, each of its items is sent again alone, so that only the culprit fails; a `flush` that writes
 * must therefore store all of a batch or nothing. When the database cannot be reached, no item is to blame and nobody
 * knows what was stored: all of them fail at once, and each caller decides whether to add its item again.
 */
export class Batcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = 0;

  constructor(
    private readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly limits: { maxItems: number; concurrency: number },
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.waiting.length === 1) setImmediate(() => this.pump());
    });
  }

  private pump(): void {
    while (this.running < this.limits.concurrency && this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.limits.maxItems);
      this.running++;
      void this.send(batch).finally(() => {
        this.running--;
        this.pump();
      });
    }
  }

  private async send(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.flush(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, i) => resolve(results[i]!));
    } catch (reason) {
      const isAway = reason instanceof DatabaseUnavailableError;
      if (!isAway && batch.length > 1) for (const one of batch) await this.send([one]);
      else for (const { reject } of batch) reject(reason);
    }
  }
}
