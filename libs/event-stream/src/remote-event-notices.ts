import { EventNotices, type EventNotice } from '#libs/engine';
import { newEventId, type RunId, type TenantId } from '#libs/kernel';
import { ConnectionState } from './connection-state.js';
import { LocalNoticeHub } from './local-notice-hub.js';
import { unpackNotices } from './notice-codec.js';
import { NoticeSender } from './notice-sender.js';
import { NoticeWindows } from './notice-windows.js';
import type { WarningLog } from './warning-log.js';

/**
 * What both adapters share. Listeners of this process hear every notice, without a detour; other processes hear them
 * thinned and packed, as long as the connection stands. A connection calls `hear` and keeps its state.
 */
export abstract class RemoteEventNotices extends EventNotices {
  protected readonly connection = new ConnectionState();
  private readonly origin = newEventId(Date.now());
  private readonly hub: LocalNoticeHub;
  private readonly sender = new NoticeSender(this.origin, (payload) => this.send(payload));
  private readonly windows = new NoticeWindows((notice) => {
    if (this.connection.isOpen) this.sender.add(notice);
  });

  constructor(protected readonly log: WarningLog) {
    super();
    this.hub = new LocalNoticeHub(log);
  }

  protected abstract send(payload: string): Promise<void>;
  protected abstract disconnect(): Promise<void>;

  publish(notice: EventNotice): void {
    if (this.connection.isClosed) return;
    this.hub.tell(notice);
    this.windows.add(notice);
  }

  subscribe(tenantId: TenantId, runId: RunId, listener: (notice: EventNotice) => void): () => void {
    return this.hub.subscribe(tenantId, runId, listener);
  }

  ready(): Promise<void> {
    return this.connection.opened();
  }

  async close(): Promise<void> {
    this.connection.close();
    this.windows.close();
    this.sender.drop();
    this.hub.clear();
    await this.disconnect();
  }

  protected hear(payload: string): void {
    const heard = unpackNotices(payload);
    if (!heard) return this.log.warn({ bytes: payload.length }, 'A message on the channel of run notices is not one');
    if (heard.origin !== this.origin) heard.notices.forEach((notice) => this.hub.tell(notice));
  }
}
