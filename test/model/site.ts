import { LeaseLostError, type Lease, type RunKey } from '#libs/engine';
import { SystemClock, type TenantId } from '#libs/kernel';
import { PgRunStore, Reaper, RunLedger, Slots } from '#libs/persistence';
import type { Dice } from '../chaos/dice.js';
import { addTenant, aNewRun, runDatabase, someone, type RunDatabase } from '../support/run-database.js';
import { keyOf, readHeads, type Board } from './heads.js';

export const TENANTS = ['a-old', 'b', 'c', 'd-small'] as const;
/** Of the last of them. */
const SMALL_LIMIT = 2;
/** Ended runs cost the statements a little, and their removal costs more. */
const TIDY_EVERY = 50;
/** How far the clocks of processes may be off. */
const MAX_SKEW_S = 90;

/** A worker without an engine: it claims, and does with what it holds what the dice say. */
export interface Worker {
  name: string;
  store: PgRunStore;
  slots: number;
  leases: Lease[];
}

/** The parts of a server on one database: real statements, and processes that are objects. One world after another uses it. */
export class Site {
  readonly reaper: Reaper;
  private names = 0;
  private worlds = 0;

  private constructor(
    readonly db: RunDatabase,
    /** Where time is written down, table by table. */
    private readonly times: readonly { table: string; columns: string[] }[],
  ) {
    this.reaper = new Reaper(db.database);
  }

  static async open(): Promise<Site> {
    const db = await runDatabase();
    for (const tenant of TENANTS) await addTenant(db, tenant, tenant === 'd-small' ? SMALL_LIMIT : null);
    await db.sql(`UPDATE tenants SET next_runnable_seq = 1000000 WHERE id = 'a-old'`);
    const times = await db.sql<{ table: string; columns: string[] }>(
      `SELECT table_name::text AS table, array_agg(column_name::text) AS columns FROM information_schema.columns
        WHERE table_schema = current_schema() AND data_type = 'timestamp with time zone'
          AND table_name IN ('run_heads', 'tenants', 'scheduler') GROUP BY table_name`,
    );
    return new Site(db, times);
  }

  /** A clock that is wrong. */
  clock(dice: Dice): SystemClock {
    const clock = new SystemClock();
    clock.follow(Date.now() + dice.between(-MAX_SKEW_S, MAX_SKEW_S) * 1_000);
    return clock;
  }

  ledger(dice: Dice): RunLedger {
    const { database, signals, cold } = this.db;
    return new RunLedger(database, signals, this.clock(dice), cold);
  }

  slots(dice: Dice): Slots {
    return new Slots(this.db.database, this.db.signals, this.clock(dice));
  }

  worker(dice: Dice, slots: number): Worker {
    const { database, signals } = this.db;
    const name = `worker-${this.names++}`;
    return { name, store: new PgRunStore(database, database, name, signals, this.clock(dice)), slots, leases: [] };
  }

  /** Time passes for the database: everything that it remembers lies further back. The order is that of all locks. */
  async passes(ms: number): Promise<void> {
    const aging = this.times.map(({ table, columns }) => {
      const set = columns.map((column) => `${column} = ${column} - ${ms} * interval '1 millisecond'`);
      return `UPDATE ${table} SET ${set.join(', ')}`;
    });
    await this.db.sql(['LOCK TABLE scheduler, tenants, run_heads IN EXCLUSIVE MODE', ...aging].join('; '));
  }

  /** A worker is registered and holds no lock any more. */
  async buries({ name }: Worker): Promise<void> {
    await this.db.sql('INSERT INTO workers (id) VALUES ($1)', [name]);
  }

  /** The board of the next world. The tenants have started as many runs before as the dice say, one of them very many. */
  async clear(dice: Dice, limit: number): Promise<void> {
    if (this.worlds++ % TIDY_EVERY === 0 || (await readHeads(this.db)).length > 0) {
      await this.db.sql('SELECT remove_run(tenant_id, id) FROM runs');
    }
    await this.db.sql('DELETE FROM workers');
    await this.db.sql('UPDATE tenants SET next_runnable_seq = next_runnable_seq + $1', [dice.between(1, 50)]);
    await this.limit(limit);
  }

  async limit(runs: number): Promise<void> {
    await this.db.sql('UPDATE scheduler SET max_concurrent_runs = $1', [runs]);
  }

  async board(): Promise<Board> {
    const [heads, [scheduler]] = await Promise.all([
      readHeads(this.db),
      this.db.sql<{ limit: number }>('SELECT max_concurrent_runs AS limit FROM scheduler'),
    ]);
    return {
      heads: new Map(heads.map((head) => [keyOf(head), head])),
      limit: scheduler!.limit,
      tenantLimits: new Map([['d-small', SMALL_LIMIT]]),
    };
  }

  /** Runs of one tenant, submitted and started together. */
  async starts(ledger: RunLedger, tenant: string, count: number): Promise<void> {
    const runs = Array.from({ length: count }, () => aNewRun({ tenantId: tenant as TenantId }));
    await Promise.all(runs.map((run) => ledger.create(run)));
    await Promise.all(runs.map(({ tenantId, runId }) => ledger.start({ tenantId, runId, actor: someone })));
  }

  close(): Promise<void> {
    return this.db.close();
  }
}

/** What comes of a write under a lease; undefined where the lease was lost. */
export async function underLease<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) return undefined;
    throw thrown;
  }
}

export function drop(worker: Worker, lease: RunKey): void {
  worker.leases = worker.leases.filter((other) => keyOf(other) !== keyOf(lease));
}
