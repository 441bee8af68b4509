/** Something that is opened for the first who uses it and stopped after the last. */
export class Shared<Thing extends { stop(): void }> {
  private readonly things = new Map<string, { thing: Thing; users: number }>();

  async use(key: string, open: () => Thing, work: (thing: Thing) => Promise<void>): Promise<void> {
    const shared = this.things.get(key) ?? { thing: open(), users: 0 };
    this.things.set(key, shared);
    shared.users += 1;
    try {
      await work(shared.thing);
    } finally {
      shared.users -= 1;
      if (shared.users === 0) {
        this.things.delete(key);
        shared.thing.stop();
      }
    }
  }
}
