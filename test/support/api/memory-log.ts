import { type EventNotice, EventNotices } from '#libs/engine';
import { type RunId, type TenantId } from '#libs/kernel';
import { RunLog, type StoredEvent } from '../../../apps/api/src/runs/run-use-cases.js';

/** The log of one run in memory; counts what is read. */
export class MemoryLog extends RunLog {
  readonly events: StoredEvent[] = [];
  ended = false;
  reads = 0;
  /** Makes every look fail while it is set. */
  failure: Error | undefined;

  add(json = '{}', terminal = false): number {
    const seq = this.events.length + 1;
    this.events.push({ seq, json, terminal });
    this.ended ||= terminal;
    return seq;
  }

  async read(_tenantId: TenantId, _runId: RunId, fromSeq: number, limit: number): Promise<StoredEvent[]> {
    if (this.failure) throw this.failure;
    this.reads += 1;
    return this.events.slice(fromSeq - 1, fromSeq - 1 + limit);
  }

  async head(): Promise<{ lastSeq: number; ended: boolean }> {
    if (this.failure) throw this.failure;
    return { lastSeq: this.events.length, ended: this.ended };
  }
}

/** Notices within one test. */
export class MemoryNotices extends EventNotices {
  readonly listeners = new Set<(notice: EventNotice) => void>();

  publish(notice: EventNotice): void {
    for (const listener of this.listeners) listener(notice);
  }

  subscribe(_tenantId: TenantId, _runId: RunId, listener: (notice: EventNotice) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async ready(): Promise<void> {}

  async close(): Promise<void> {}
}
