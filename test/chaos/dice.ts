/** Random numbers that a seed repeats. */
export class Dice {
  constructor(private state: number) {}

  /** From 0 to 1, without 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number of this range, both ends included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.between(0, values.length - 1)]!;
  }

  /** Dice of their own for a part of the whole, so that parts at work side by side do not disturb each other. */
  fork(): Dice {
    return new Dice(this.between(0, 2 ** 31));
  }
}
