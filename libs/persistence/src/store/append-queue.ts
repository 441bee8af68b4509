import { randomUUID } from 'node:crypto';
import type { Append, Appended, Control, Lease } from '#libs/engine';
import { LeaseLostError } from '#libs/engine';
import type { StampedEvent } from '#libs/events';
import type { Database } from '../database.js';
import { DatabaseUnavailableError } from '../errors.js';
import { appendStatement, findAppendStatement } from './append-statement.js';
import { eventParameters, eventRows } from './event-rows.js';
import { statusAfter } from './head-status.js';

/** What has gathered for one run since its last append left. */
interface Entry {
  lease: Lease;
  appendId: string;
  events: StampedEvent[];
  progress: boolean;
  callers: { offset: number; resolve: (appended: Appended) => void; reject: (reason: unknown) => void }[];
}

interface Stored {
  base: number;
  pendingControl: Control | null;
}

const MAX_RUNS = 256;
const CONCURRENCY = 2;

/**
 * The event writer of one worker: commits in groups over runs. Each run has at most one append on its way and one that
 * gathers, so its events keep their order and an append whose reply was lost can be recognised.
 */
export class AppendQueue {
  private readonly gathering = new Map<string, Entry>();
  private readonly underway = new Set<string>();
  private flushing = 0;
  private scheduled = false;

  constructor(
    private readonly database: Database,
    private readonly owner: string,
    private readonly stored: (lease: Lease, toSeq: number) => void,
  ) {}

  append(lease: Lease, { events, progress }: Append): Promise<Appended> {
    return new Promise((resolve, reject) => {
      const key = `${lease.tenantId} ${lease.runId} ${lease.epoch}`;
      let entry = this.gathering.get(key);
      if (!entry) {
        entry = { lease, appendId: randomUUID(), events: [], progress: false, callers: [] };
        this.gathering.set(key, entry);
      }
      entry.callers.push({ offset: entry.events.length, resolve, reject });
      entry.events.push(...events);
      entry.progress ||= progress;
      this.schedule();
    });
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
      void this.flush([...batch.values()]).finally(() => {
        this.flushing--;
        for (const key of batch.keys()) this.underway.delete(key);
        this.pump();
      });
    }
  }

  private take(): Map<string, Entry> {
    const batch = new Map<string, Entry>();
    for (const [key, entry] of this.gathering) {
      if (batch.size === MAX_RUNS) break;
      if (this.underway.has(key)) continue;
      batch.set(key, entry);
      this.gathering.delete(key);
      this.underway.add(key);
    }
    return batch;
  }

  /** Sends a batch; when the statement itself fails each run is sent alone, so that only the culprit fails. */
  private async flush(batch: readonly Entry[]): Promise<void> {
    let stored: Map<Entry, Stored>;
    try {
      stored = await this.send(batch);
    } catch (reason) {
      if (batch.length > 1) {
        for (const entry of batch) await this.flush([entry]);
        return;
      }
      return this.settleDoubt(batch[0]!, reason);
    }
    for (const entry of batch) this.settle(entry, stored.get(entry));
  }

  private async send(batch: readonly Entry[]): Promise<Map<Entry, Stored>> {
    const rows = await this.database.query<{
      tenant_id: string;
      run_id: string;
      base: number;
      pending_control: Control | null;
    }>(appendStatement, [
      this.owner,
      batch.map(({ lease }) => lease.tenantId),
      batch.map(({ lease }) => lease.runId),
      batch.map(({ lease }) => lease.epoch),
      batch.map(({ events }) => events.length),
      batch.map(({ appendId }) => appendId),
      batch.map(({ events }) => statusAfter(events)),
      batch.map(({ progress }) => progress),
      ...eventParameters(eventRows(batch.map(({ lease, events }) => ({ run: lease, events })))),
    ]);
    const byRun = new Map(rows.map((row) => [`${row.tenant_id} ${row.run_id}`, row]));
    const stored = new Map<Entry, Stored>();
    for (const entry of batch) {
      const row = byRun.get(`${entry.lease.tenantId} ${entry.lease.runId}`);
      if (row) stored.set(entry, { base: row.base, pendingControl: row.pending_control });
    }
    return stored;
  }

  /** After a fault that may have come after the commit: asks what happened, and sends again only what did not. */
  private async settleDoubt(entry: Entry, reason: unknown): Promise<void> {
    if (!(reason instanceof DatabaseUnavailableError)) return reject(entry, reason);
    const { lease, appendId, events } = entry;
    try {
      const [head] = await this.database.queryAgain<{
        epoch: number;
        append_id: string;
        pending_control: Control | null;
        base: number | null;
      }>(findAppendStatement, [lease.tenantId, lease.runId, events[0]?.id]);
      if (head && head.append_id === appendId && head.base !== null) {
        return this.settle(entry, { base: head.base, pendingControl: head.pending_control });
      }
      if (!head || head.epoch !== lease.epoch) return this.settle(entry, undefined);
      this.settle(entry, (await this.send([entry])).get(entry));
    } catch (again) {
      reject(entry, again);
    }
  }

  private settle(entry: Entry, stored: Stored | undefined): void {
    if (!stored) return reject(entry, new LeaseLostError(entry.lease));
    this.stored(entry.lease, stored.base + entry.events.length - 1);
    for (const { offset, resolve } of entry.callers) {
      resolve({ base: stored.base + offset, pendingControl: stored.pendingControl });
    }
  }
}

function reject(entry: Entry, reason: unknown): void {
  for (const caller of entry.callers) caller.reject(reason);
}
