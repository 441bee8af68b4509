import { callAfter } from '#libs/kernel';

/** Values that arrive while their reader is busy or asleep: each is read once, in order. */
export class Inbox<T> {
  private readonly waiting: T[] = [];
  private wake: (() => void) | undefined;

  put(value: T): void {
    this.waiting.push(value);
    this.wake?.();
  }

  /** The next value; undefined when none came within `timeoutMs`. */
  async take(timeoutMs: number | null): Promise<T | undefined> {
    if (this.waiting.length === 0) await this.arrival(timeoutMs);
    return this.waiting.shift();
  }

  private arrival(timeoutMs: number | null): Promise<void> {
    return new Promise<void>((resolve) => {
      const callOff = timeoutMs === null ? undefined : callAfter(timeoutMs, resolve);
      this.wake = () => {
        callOff?.();
        resolve();
      };
    }).then(() => (this.wake = undefined));
  }
}
