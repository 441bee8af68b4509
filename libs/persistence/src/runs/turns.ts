/** Does what is asked for one key one after the other, and for different keys at the same time. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** What `work` brings, once everything that was asked for this key before is done, well or not. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === mine) this.last.delete(key);
    }
  }
}
