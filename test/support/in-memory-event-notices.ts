import { EventNotices, type EventNotice } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';

type Listener = (notice: EventNotice) => void;

/** The channel that several notices of one process share, as several processes share a server. */
export class InMemoryNoticeChannel {
  readonly listeners = new Map<string, Set<{ hear: Listener }>>();
}

export class InMemoryEventNotices extends EventNotices {
  private readonly endings = new Set<() => void>();
  private closed = false;

  constructor(private readonly channel = new InMemoryNoticeChannel()) {
    super();
  }

  publish(notice: EventNotice): void {
    if (this.closed) return;
    const listeners = this.channel.listeners.get(`${notice.tenantId} ${notice.runId}`);
    queueMicrotask(() => listeners?.forEach(({ hear }) => tell(hear, notice)));
  }

  subscribe(tenantId: TenantId, runId: RunId, hear: Listener): () => void {
    const key = `${tenantId} ${runId}`;
    const listeners = this.channel.listeners.get(key) ?? new Set();
    this.channel.listeners.set(key, listeners);
    const subscription = { hear };
    listeners.add(subscription);
    const end = () => {
      listeners.delete(subscription);
      this.endings.delete(end);
    };
    this.endings.add(end);
    return end;
  }

  async ready(): Promise<void> {
    if (this.closed) throw new Error('The notices are closed.');
  }

  async close(): Promise<void> {
    this.closed = true;
    this.endings.forEach((end) => end());
  }
}

/** A failing listener takes nothing from the others. */
function tell(hear: Listener, notice: EventNotice): void {
  try {
    hear(notice);
  } catch {
    return;
  }
}
