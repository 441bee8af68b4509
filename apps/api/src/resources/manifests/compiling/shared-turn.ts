import { setImmediate } from 'node:timers/promises';

/** How long short pieces of work may go on in one turn of the event loop, all together. */
const TURN_MS = 25;

/** Lets short work be done at once, unless much of it was done in this turn of the event loop: then others are served first. */
export class SharedTurn {
  private spentMs = 0;
  private next: Promise<void> | undefined;

  constructor(private readonly clock: () => number = () => performance.now()) {}

  async run<T>(work: () => T): Promise<T> {
    while (this.spentMs >= TURN_MS) await this.nextTurn();
    const began = this.clock();
    try {
      return work();
    } finally {
      this.spentMs += this.clock() - began;
      void this.nextTurn();
    }
  }

  private nextTurn(): Promise<void> {
    this.next ??= setImmediate().then(() => {
      this.spentMs = 0;
      this.next = undefined;
    });
    return this.next;
  }
}
