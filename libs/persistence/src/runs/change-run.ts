import type { RunKey, StoredState } from '#libs/engine';
import type { Change } from '#libs/runs';
import type { Database, Queryable, Statement } from '../database.js';
import type { GrownLog } from '../log/commit-signals.js';
import { bodiesOf } from '../log/event-rows.js';
import { keyOf, LOCK_HEADS, lockRunHeads, readRunHead, writeLocked, type LockedHead } from '../log/locked-heads.js';
import type { StoredRun } from './run-records.js';

export type Loaded = StoredState & StoredRun;

/**
 * Decides what becomes of a run, from its head and, where that is not enough, from the engine's state. There is no head where
 * there is no run, which it refuses then; where it returns a change, there is a run.
 */
export type DecideChange = (head: LockedHead | undefined, load: () => Promise<Loaded>) => Promise<Change | null>;

/** The engine's state as it stood before `toSeq`. */
type LoadState = (db: Queryable, run: RunKey, toSeq: number) => Promise<Loaded>;

/** What a change did: the log that grew, and whether runs may get a slot now that could not before. */
export interface Changed {
  grown: GrownLog;
  movesSlots: boolean;
}

/** Tries without a lock. Somebody who appends all the time is kept waiting after so many. */
const UNLOCKED_TRIES = 3;

const drawPlace: Statement = {
  name: 'draw-runnable-seq',
  text: `UPDATE tenants SET next_runnable_seq = next_runnable_seq + 1 WHERE id = $1 RETURNING next_runnable_seq - 1 AS seq`,
};

interface Decided {
  change: Change;
  head: LockedHead;
  /** Whether it rests on the log, and not on the head alone. */
  readLog: boolean;
}

/**
 * Decides from what was read without a lock, and stores that only if it still holds under the lock of the head: nobody
 * waits while a log is read and folded. `decide` is asked again where it does not. The scheduler's row is never taken.
 */
export async function changeRun(
  database: Database,
  run: RunKey,
  decide: DecideChange,
  load: LoadState,
): Promise<Changed | null> {
  for (let tries = 0; tries < UNLOCKED_TRIES; tries++) {
    const decision = await decideOn(database, await readRunHead(database, run), run, decide, load);
    if (!decision) return null;
    const stored = await database.transaction(async (tx) => {
      const place = await placeFor(tx, decision);
      const head = (await lockRunHeads(tx, [run])).get(keyOf(run));
      return head && stillHolds(decision, head) ? write(tx, head, decision.change, place) : undefined;
    }, LOCK_HEADS);
    if (stored) return stored;
  }
  return database.transaction(async (tx) => {
    // Which lock comes first does not depend on what is decided behind it.
    await lockTenant(tx, run);
    const head = (await lockRunHeads(tx, [run])).get(keyOf(run));
    const decision = await decideOn(tx, head, run, decide, load);
    return decision && write(tx, decision.head, decision.change, await placeFor(tx, decision));
  }, LOCK_HEADS);
}

async function decideOn(
  db: Queryable,
  head: LockedHead | undefined,
  run: RunKey,
  decide: DecideChange,
  load: LoadState,
): Promise<Decided | null> {
  let readLog = false;
  const change = await decide(head, () => {
    readLog = true;
    return load(db, run, head!.nextSeq);
  });
  return head && change ? { change, head, readLog } : null;
}

function stillHolds({ head: seen, readLog }: Decided, head: LockedHead): boolean {
  return (
    seen.bornAt === head.bornAt &&
    seen.status === head.status &&
    seen.slot === head.slot &&
    seen.pendingControl === head.pendingControl &&
    seen.leaseEpoch === head.leaseEpoch &&
    seen.wakeAt === head.wakeAt &&
    seen.runnableSeq === head.runnableSeq &&
    seen.isArchived === head.isArchived &&
    (!readLog || seen.nextSeq === head.nextSeq)
  );
}

const lockTenantRow: Statement = { name: 'lock-tenant', text: 'SELECT FROM tenants WHERE id = $1 FOR NO KEY UPDATE' };

function lockTenant(tx: Queryable, { tenantId }: RunKey): Promise<unknown> {
  return tx.query(lockTenantRow, [tenantId]);
}

/** The place in the order of starts that a run keeps; one that is queued for the first time gets the next. */
async function placeFor(tx: Queryable, { change, head }: Decided): Promise<number | null> {
  if (change.slot !== 'queued' || head.runnableSeq !== null) return head.runnableSeq;
  const [row] = await tx.query<{ seq: number }>(drawPlace, [head.tenantId]);
  return row!.seq;
}

async function write(tx: Queryable, head: LockedHead, change: Change, runnableSeq: number | null): Promise<Changed> {
  const { tenantId, runId, nextSeq, slot, pendingControl, wakeAt } = head;
  const [append] = await writeLocked(tx, [{ slot, pendingControl, wakeAt, ...change, head, runnableSeq, epoch: null }]);
  const grown = { tenantId, runId, toSeq: nextSeq + change.events.length - 1, bodies: bodiesOf(append!) };
  return {
    grown,
    movesSlots: change.slot !== undefined && change.slot !== slot && (slot === 'held' || change.slot === 'queued'),
  };
}
