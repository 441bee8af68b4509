import { randomUUID } from 'node:crypto';
import type { Append, Appended, Control, Lease, LeaseLostError, RunKey } from '#libs/engine';
import type { StampedEvent } from '#libs/events';
import type { Database } from '../database.js';
import { DatabaseUnavailableError } from '../errors.js';
import { appendStatement, findAppendStatement } from './append-statement.js';
import type { GrownLog } from './commit-signals.js';
import { bodiesOf, encodeAppend, type EncodedAppend } from './event-rows.js';
import { appended } from './lease-chain.js';
import { keyOf } from './locked-heads.js';
import { patiently } from './patiently.js';

/** What has gathered for one run since its last append left. */
interface Entry {
  lease: Lease;
  appendId: string;
  events: StampedEvent[];
  /** The events as they are stored, made when the append leaves. */
  encoded?: EncodedAppend;
  callers: { offset: number; resolve: (appended: Appended) => void; reject: (reason: unknown) => void }[];
}

interface Stored {
  base: number;
  pendingControl: Control | null;
}

/** One commit of appends, as whoever watches the writer sees it. */
export interface Flush {
  events: number;
  ms: number;
}

const MAX_RUNS = 256;
const CONCURRENCY = 2;

/**
 * The event writer of one worker: commits in groups over runs. Each run has at most one append on its way and one that
 * gathers, so its events keep their order and an append whose reply was lost can be recognised.
 */
export class AppendQueue {
  private readonly gathering = new Map<string, Entry>();
  /** By run: resolves when what is on its way is settled. */
  private readonly underway = new Map<string, Promise<void>>();
  private flushing = 0;
  private scheduled = false;

  constructor(
    private readonly database: Database,
    private readonly owner: string,
    private readonly stored: (grown: GrownLog) => void,
    private readonly flushed: (flush: Flush) => void,
    /** Why an append was refused. */
    private readonly refusalOf: (lease: Lease) => Promise<LeaseLostError>,
  ) {}

  append(lease: Lease, { events }: Append): Promise<Appended> {
    return new Promise((resolve, reject) => {
      const key = `${keyOf(lease)} ${lease.epoch}`;
      let entry = this.gathering.get(key);
      if (!entry) {
        entry = { lease, appendId: randomUUID(), events: [], callers: [] };
        this.gathering.set(key, entry);
      }
      entry.callers.push({ offset: entry.events.length, resolve, reject });
      entry.events.push(...events);
      this.schedule();
    });
  }

  /** Does work with the lease once its appends are settled; what is appended meanwhile leaves after it. */
  async alone<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
    const run = keyOf(lease);
    const gathered = this.gathering.get(`${run} ${lease.epoch}`);
    if (gathered) await settlementOf(gathered);
    for (let before; (before = this.underway.get(run));) await before;
    const done = work();
    const settled = done.then(
      () => this.settled([run]),
      () => this.settled([run]),
    );
    this.underway.set(run, settled);
    return done;
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.pump();
    });
  }

  private pump(): void {
    while (this.flushing < CONCURRENCY) {
      const batch = this.take();
      if (batch.size === 0) return;
      this.flushing++;
      const flushed = this.flush([...batch.values()]).finally(() => {
        this.flushing--;
        this.settled(batch.keys());
      });
      for (const run of batch.keys()) this.underway.set(run, flushed);
    }
  }

  private settled(runs: Iterable<string>): void {
    for (const run of runs) this.underway.delete(run);
    this.pump();
  }

  /** By run: two epochs of one run never travel together. */
  private take(): Map<string, Entry> {
    const batch = new Map<string, Entry>();
    for (const [key, entry] of this.gathering) {
      if (batch.size === MAX_RUNS) break;
      const run = keyOf(entry.lease);
      if (this.underway.has(run) || batch.has(run)) continue;
      batch.set(run, entry);
      this.gathering.delete(key);
    }
    return batch;
  }

  /** Sends a batch; when the statement itself is refused each run is sent alone, so that only the culprit fails. */
  private async flush(batch: readonly Entry[]): Promise<void> {
    let stored: Map<Entry, Stored>;
    try {
      stored = await this.send(batch);
    } catch (reason) {
      if (reason instanceof DatabaseUnavailableError) await Promise.all(batch.map((entry) => this.settleDoubt(entry)));
      else if (batch.length > 1) await Promise.all(batch.map((entry) => this.flush([entry])));
      else reject(batch[0]!, reason);
      return;
    }
    for (const entry of batch) this.settle(entry, stored.get(entry));
  }

  private async send(batch: readonly Entry[]): Promise<Map<Entry, Stored>> {
    const begunAtMs = performance.now();
    const appends = batch.map((entry) => ({ ...entry, encoded: encoded(entry) }));
    const { statement, values } = appendStatement({ owner: this.owner, appends });
    const rows = await this.database.query<RunKey & Stored>(statement, values);
    const count = batch.reduce((sum, { events }) => sum + events.length, 0);
    this.flushed({ events: count, ms: performance.now() - begunAtMs });
    const entries = new Map(batch.map((entry) => [keyOf(entry.lease), entry]));
    return new Map(rows.map((row) => [entries.get(keyOf(row))!, row]));
  }

  /**
   * After a fault that may have come before or after the commit, or before a commit that is still to come: looks, sends
   * again what is not there, and looks once more when that was refused, since the first sending may have won meanwhile.
   * A database that is away is waited for, but not longer than the lease can be good.
   */
  private async settleDoubt(entry: Entry): Promise<void> {
    const look = async (): Promise<Stored | undefined> =>
      (await this.find(entry)) ?? (await this.send([entry])).get(entry) ?? (await this.find(entry));
    try {
      this.settle(entry, await patiently(look));
    } catch (reason) {
      reject(entry, reason);
    }
  }

  private async find({ lease, appendId, events }: Entry): Promise<Stored | undefined> {
    const [row] = await this.database.queryAgain<Stored>(findAppendStatement, [
      lease.tenantId,
      lease.runId,
      appendId,
      events[0]?.id ?? null,
    ]);
    return row;
  }

  private settle(entry: Entry, stored: Stored | undefined): void {
    if (!stored) return void this.refusalOf(entry.lease).then((refusal) => reject(entry, refusal));
    const { tenantId, runId } = entry.lease;
    const toSeq = stored.base + entry.events.length - 1;
    appended(entry.lease, entry.appendId, toSeq);
    this.stored({ tenantId, runId, toSeq, bodies: bodiesOf(encoded(entry)) });
    for (const { offset, resolve } of entry.callers) {
      resolve({ base: stored.base + offset, pendingControl: stored.pendingControl });
    }
  }
}

/** Encoded once, however often it is sent. */
function encoded(entry: Entry): EncodedAppend {
  return (entry.encoded ??= encodeAppend(entry.lease, entry.events));
}

function settlementOf(entry: Entry): Promise<unknown> {
  return new Promise((settled) => entry.callers.push({ offset: 0, resolve: settled, reject: settled }));
}

function reject(entry: Entry, reason: unknown): void {
  for (const caller of entry.callers) caller.reject(reason);
}
