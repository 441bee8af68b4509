import { messageOf } from '#libs/kernel';

/** Something that has to be looked after again and again. */
export interface Chore {
  name: string;
  /** Rest between the end of one round and the beginning of the next. */
  everyMs: number;
  run(): Promise<void>;
}

export interface UpkeepLog {
  warn(fields: Record<string, unknown>, sentence: string): void;
}

/**
 * Does chores for ever. Each runs by itself: one that fails is logged and done again, and keeps no other from its
 * turn. Rests are spread by a tenth, so that servers that started together do not look together.
 */
export class Upkeep {
  private readonly timers = new Map<Chore, NodeJS.Timeout>();
  private readonly underway = new Map<Chore, Promise<void>>();
  private readonly lastDone = new Map<string, number>();
  private stopped = false;

  constructor(
    private readonly chores: readonly Chore[],
    private readonly log: UpkeepLog,
  ) {}

  start(): void {
    for (const chore of this.chores) this.begin(chore);
  }

  /** Does a chore now instead of at its next turn; a round under way is followed by another one. */
  hurry(name: string): void {
    const chore = this.chores.find((known) => known.name === name);
    if (!chore || this.stopped) return;
    const current = this.underway.get(chore);
    if (current) void current.then(() => this.begin(chore));
    else this.begin(chore);
  }

  /** Milliseconds since each chore last ended well: the lag that operators watch. */
  lagMs(now: number): Record<string, number> {
    return Object.fromEntries([...this.lastDone].map(([name, at]) => [name, now - at]));
  }

  /** Starts no further round and waits for those under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all(this.underway.values());
  }

  private begin(chore: Chore): void {
    clearTimeout(this.timers.get(chore));
    if (this.stopped || this.underway.has(chore)) return;
    const round = this.round(chore).finally(() => {
      this.underway.delete(chore);
      if (this.stopped) return;
      const rest = chore.everyMs * (0.9 + Math.random() * 0.2);
      this.timers.set(chore, setTimeout(() => this.begin(chore), rest).unref());
    });
    this.underway.set(chore, round);
  }

  private async round(chore: Chore): Promise<void> {
    try {
      await chore.run();
      this.lastDone.set(chore.name, Date.now());
    } catch (thrown) {
      this.log.warn(
        { chore: chore.name, error: messageOf(thrown) },
        'A chore failed and is done again at its next turn.',
      );
    }
  }
}
