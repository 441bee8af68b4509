import { type EventNotice, EventNotices, type TextDelta } from '#libs/engine';
import { type RunId, type TenantId } from '#libs/kernel';
import { RunLog, type LogHead, type StoredEvent } from '../../../apps/api/src/streams/run-log.js';

/** The log of one run in memory; counts what is read. */
export class MemoryLog extends RunLog {
  readonly events: StoredEvent[] = [];
  ended = false;
  bornAt = '2026-11-22T12:00:00.000000Z';
  reads = 0;
  /** Makes every look fail while it is set. */
  failure: Error | undefined;

  add(json = '{}', terminal = false): number {
    const seq = this.events.length + 1;
    this.events.push({ seq, json, terminal });
    this.ended ||= terminal;
    return seq;
  }

  /** Another run with the same id. */
  beginAgain(bornAt: string): void {
    this.events.length = 0;
    this.ended = false;
    this.bornAt = bornAt;
  }

  async read(
    _tenantId: TenantId,
    _runId: RunId,
    fromSeq: number,
    limit: number,
    bornAt?: string,
  ): Promise<StoredEvent[]> {
    if (this.failure) throw this.failure;
    this.reads += 1;
    if (bornAt !== undefined && bornAt !== this.bornAt) return [];
    return this.events.slice(fromSeq - 1, fromSeq - 1 + limit);
  }

  async head(): Promise<LogHead> {
    if (this.failure) throw this.failure;
    return { bornAt: this.bornAt, lastSeq: this.events.length, ended: this.ended };
  }
}

/** The logs of several runs. */
export class MemoryLogs extends RunLog {
  private readonly logs = new Map<RunId, MemoryLog>();

  of(runId: RunId): MemoryLog {
    const log = this.logs.get(runId) ?? new MemoryLog();
    this.logs.set(runId, log);
    return log;
  }

  read(...asked: Parameters<RunLog['read']>): Promise<StoredEvent[]> {
    return this.of(asked[1]).read(...asked);
  }

  head(_tenantId: TenantId, runId: RunId): Promise<LogHead> {
    return this.of(runId).head();
  }
}

/** Notices within one test. */
export class MemoryNotices extends EventNotices {
  readonly listeners = new Set<(notice: EventNotice) => void>();
  readonly watchers = new Set<(delta: TextDelta) => void>();
  private readonly gaps = new Set<() => void>();

  /** Notices were lost. */
  miss(): void {
    for (const missed of this.gaps) missed();
  }

  publish(notice: EventNotice): void {
    for (const listener of this.listeners) listener(notice);
  }

  subscribe(
    tenantId: TenantId,
    _runId: RunId,
    listener: (notice: EventNotice) => void,
    missed?: () => void,
  ): () => void {
    return this.subscribeAll(tenantId, listener, missed);
  }

  subscribeAll(_tenantId: TenantId, listener: (notice: EventNotice) => void, missed?: () => void): () => void {
    this.listeners.add(listener);
    if (missed) this.gaps.add(missed);
    return () => {
      this.listeners.delete(listener);
      if (missed) this.gaps.delete(missed);
    };
  }

  show(delta: TextDelta): void {
    for (const watcher of this.watchers) watcher(delta);
  }

  watch(_tenantId: TenantId, _runId: RunId, listener: (delta: TextDelta) => void): () => void {
    this.watchers.add(listener);
    return () => this.watchers.delete(listener);
  }

  async ready(): Promise<void> {}

  async close(): Promise<void> {}
}
