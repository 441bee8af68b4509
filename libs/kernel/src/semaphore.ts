interface Waiting {
  amount: number;
  grant(): void;
}

/**
 * A bounded quantity that many share. Whoever asks for more than is left waits, and whoever asked first gets it first: a
 * large amount is not overtaken by small ones for ever. Nobody who holds some of it may wait for more.
 */
export class Semaphore {
  private left: number;
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly total: number) {
    this.left = total;
  }

  /**
   * Resolves with what gives the amount back, once and harmlessly again. More than there is at all means all of it. Rejects
   * with the reason of the signal once that aborts; nothing is taken then.
   */
  async take(amount: number, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const taken = Math.min(amount, this.total);
    if (this.waiting.size > 0 || taken > this.left) await this.turn(taken, signal);
    else this.left -= taken;
    let isHeld = true;
    return () => {
      if (isHeld) this.left += taken;
      isHeld = false;
      this.serve();
    };
  }

  private turn(amount: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(waiting);
        reject(signal?.reason as Error);
        this.serve();
      };
      const grant = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { amount, grant };
      signal?.addEventListener('abort', leave, { once: true });
      this.waiting.add(waiting);
    });
  }

  private serve(): void {
    for (const first of this.waiting) {
      if (first.amount > this.left) return;
      this.waiting.delete(first);
      this.left -= first.amount;
      first.grant();
    }
  }
}
