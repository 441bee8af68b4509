import { messageOf, monotonicMs } from '#libs/kernel';
import type { Election } from './election.js';

/** Something that has to be looked after again and again. */
export interface Chore {
  name: string;
  /** Rest between the end of one round and the beginning of the next. */
  everyMs: number;
  /** One process does it for all; the others stand by. It must be harmless all the same when two do it for a while. */
  elected?: boolean;
  run(): Promise<void>;
}

/** What operators watch of a chore. */
export interface ChoreReport {
  name: string;
  /** The rest between its rounds: a lag of several times this is a fault. */
  everyMs: number;
  /** Milliseconds since a round last ended well; since the beginning when none has yet. */
  lagMs: number;
  /** Rounds that failed since the beginning. */
  failures: number;
}

export interface UpkeepLog {
  warn(fields: Record<string, unknown>, sentence: string): void;
}

/** A leader that fails so often in a row may be the only one that does: another process has to try. */
const RESIGN_AFTER = 3;

/**
 * Does chores for ever. Each runs by itself: one that fails is logged and done again, and keeps no other from its
 * turn. Rests are spread by a tenth, so that servers that started together do not look together. Chores for one process
 * wait until an election names this one, which resigns when one of them keeps failing here.
 */
export class Upkeep {
  private readonly timers = new Map<Chore, NodeJS.Timeout>();
  private readonly underway = new Map<Chore, Promise<void>>();
  private readonly records: Map<string, { goodAtMs: number; failures: number; inARow: number }>;
  private leads = false;
  private stopped = false;

  constructor(
    private readonly chores: readonly Chore[],
    private readonly log: UpkeepLog,
    private readonly election?: Election,
  ) {
    const goodAtMs = monotonicMs();
    this.records = new Map(chores.map(({ name }) => [name, { goodAtMs, failures: 0, inARow: 0 }]));
  }

  start(): void {
    for (const chore of this.chores) this.begin(chore);
    this.election?.start({ elected: () => this.lead(true), lost: () => this.lead(false) });
  }

  /** Does a chore now instead of at its next turn; a round under way is followed by another one. */
  hurry(name: string): void {
    const chore = this.chores.find((known) => known.name === name);
    if (!chore || this.stopped) return;
    const current = this.underway.get(chore);
    if (current) void current.then(() => this.begin(chore));
    else this.begin(chore);
  }

  /** How each chore stands that this process does now, in the order of the list. */
  report(): ChoreReport[] {
    return this.chores.filter(this.isOurs).map(({ name, everyMs }) => {
      const { goodAtMs, failures } = this.records.get(name)!;
      return { name, everyMs, lagMs: Math.round(monotonicMs() - goodAtMs), failures };
    });
  }

  /** Starts no further round and waits for those under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all([this.election?.close(), ...this.underway.values()]);
  }

  private readonly isOurs = ({ elected = false }: Chore): boolean => !elected || this.leads;

  private lead(leads: boolean): void {
    this.leads = leads;
    for (const chore of this.chores) {
      if (!chore.elected) continue;
      Object.assign(this.records.get(chore.name)!, { goodAtMs: monotonicMs(), inARow: 0 });
      this.begin(chore);
    }
  }

  private begin(chore: Chore): void {
    clearTimeout(this.timers.get(chore));
    if (this.stopped || !this.isOurs(chore) || this.underway.has(chore)) return;
    const round = this.round(chore).finally(() => {
      this.underway.delete(chore);
      if (this.stopped || !this.isOurs(chore)) return;
      const rest = chore.everyMs * (0.9 + Math.random() * 0.2);
      this.timers.set(chore, setTimeout(() => this.begin(chore), rest).unref());
    });
    this.underway.set(chore, round);
  }

  private async round(chore: Chore): Promise<void> {
    const record = this.records.get(chore.name)!;
    try {
      await chore.run();
      record.goodAtMs = monotonicMs();
      record.inARow = 0;
    } catch (thrown) {
      record.failures++;
      record.inARow++;
      this.log.warn(
        { chore: chore.name, error: messageOf(thrown) },
        'A chore failed and is done again at its next turn.',
      );
      if (chore.elected && record.inARow % RESIGN_AFTER === 0) this.election?.resign();
    }
  }
}
