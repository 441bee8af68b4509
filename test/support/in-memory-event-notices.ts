import { EventNotices, type EventNotice, type TextDelta } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';

type Listener<Message> = (message: Message) => void;
type Listeners<Message> = Map<string, Set<{ hear: Listener<Message> }>>;

/** The channel that several notices of one process share, as several processes share a server. */
export class InMemoryNoticeChannel {
  readonly notices: Listeners<EventNotice> = new Map();
  readonly texts: Listeners<TextDelta> = new Map();
}

export class InMemoryEventNotices extends EventNotices {
  private readonly endings = new Set<() => void>();
  private closed = false;

  constructor(private readonly channel = new InMemoryNoticeChannel()) {
    super();
  }

  publish(notice: EventNotice): void {
    if (this.closed) return;
    tell(this.channel.notices, `${notice.tenantId} ${notice.runId}`, notice);
    tell(this.channel.notices, notice.tenantId, notice);
  }

  subscribe(tenantId: TenantId, runId: RunId, hear: Listener<EventNotice>): () => void {
    return this.listen(this.channel.notices, `${tenantId} ${runId}`, hear);
  }

  subscribeAll(tenantId: TenantId, hear: Listener<EventNotice>): () => void {
    return this.listen(this.channel.notices, tenantId, hear);
  }

  show(delta: TextDelta): void {
    if (!this.closed) tell(this.channel.texts, `${delta.tenantId} ${delta.runId}`, delta);
  }

  watch(tenantId: TenantId, runId: RunId, hear: Listener<TextDelta>): () => void {
    return this.listen(this.channel.texts, `${tenantId} ${runId}`, hear);
  }

  async ready(): Promise<void> {
    if (this.closed) throw new Error('The notices are closed.');
  }

  async close(): Promise<void> {
    this.closed = true;
    this.endings.forEach((end) => end());
  }

  private listen<Message>(all: Listeners<Message>, key: string, hear: Listener<Message>): () => void {
    const listeners = all.get(key) ?? new Set();
    all.set(key, listeners);
    const subscription = { hear };
    listeners.add(subscription);
    const end = (): void => {
      listeners.delete(subscription);
      this.endings.delete(end);
    };
    this.endings.add(end);
    return end;
  }
}

/** A failing listener takes nothing from the others. */
function tell<Message>(all: Listeners<Message>, key: string, message: Message): void {
  const listeners = all.get(key);
  queueMicrotask(() => listeners?.forEach(({ hear }) => tellOne(hear, message)));
}

function tellOne<Message>(hear: Listener<Message>, message: Message): void {
  try {
    hear(message);
  } catch {
    return;
  }
}
