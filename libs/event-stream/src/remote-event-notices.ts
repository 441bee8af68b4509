import { EventNotices, type EventNotice, type TextDelta } from '#libs/engine';
import { newEventId, type RunId, type TenantId } from '#libs/kernel';
import { ConnectionState } from './connection-state.js';
import { packDeltas, unpackDeltas } from './delta-codec.js';
import { DeltaWindow } from './delta-window.js';
import { LocalHub } from './local-hub.js';
import { unpackNotices } from './notice-codec.js';
import { NoticeSender } from './notice-sender.js';
import { NoticeWindows } from './notice-windows.js';
import { runKey } from './run-key.js';
import type { WarningLog } from './warning-log.js';

/** Notices are for every process, text for those where somebody watches. */
export type Channel = 'notices' | 'deltas';

/** Payloads of text in one window; what does not fit them is dropped. */
const MAX_DELTA_PAYLOADS = 8;

/**
 * What both adapters share. Listeners of this process hear every notice, without a detour; other processes hear them
 * thinned and packed, as long as the connection stands. A connection calls `hear` and keeps its state, and listens to
 * text while {@link isWatching}.
 */
export abstract class RemoteEventNotices extends EventNotices {
  protected readonly connection = new ConnectionState();
  private readonly origin = newEventId(Date.now());
  private readonly ofRun: LocalHub<EventNotice>;
  private readonly ofTenant: LocalHub<EventNotice>;
  private readonly texts: LocalHub<TextDelta>;
  private readonly sender = new NoticeSender(this.origin, (payload) => this.send('notices', payload));
  private readonly windows = new NoticeWindows((notice) => {
    if (this.connection.isOpen) this.sender.add(notice);
  });
  private readonly deltas = new DeltaWindow((deltas) => this.pass(deltas));
  private isSendingText = false;

  constructor(protected readonly log: WarningLog) {
    super();
    this.ofRun = new LocalHub(log);
    this.ofTenant = new LocalHub(log);
    this.texts = new LocalHub(log);
  }

  protected abstract send(channel: Channel, payload: string): Promise<void>;
  /** Begins or ends listening to text, after {@link isWatching} has changed; best effort. */
  protected abstract tune(): void;
  protected abstract disconnect(): Promise<void>;

  protected get isWatching(): boolean {
    return !this.texts.isEmpty;
  }

  publish(notice: EventNotice): void {
    if (this.connection.isClosed) return;
    this.tell(notice);
    this.windows.add(notice);
  }

  subscribe(tenantId: TenantId, runId: RunId, listener: (notice: EventNotice) => void): () => void {
    return this.ofRun.subscribe(runKey({ tenantId, runId }), listener);
  }

  subscribeAll(tenantId: TenantId, listener: (notice: EventNotice) => void): () => void {
    return this.ofTenant.subscribe(tenantId, listener);
  }

  show(delta: TextDelta): void {
    if (!this.connection.isClosed) this.deltas.add(delta);
  }

  watch(tenantId: TenantId, runId: RunId, listener: (delta: TextDelta) => void): () => void {
    const wasWatching = this.isWatching;
    const leave = this.texts.subscribe(runKey({ tenantId, runId }), listener);
    if (!wasWatching) this.tune();
    return () => {
      if (!this.isWatching) return;
      leave();
      if (!this.isWatching) this.tune();
    };
  }

  ready(): Promise<void> {
    return this.connection.opened();
  }

  async close(): Promise<void> {
    this.connection.close();
    this.windows.close();
    this.deltas.close();
    this.sender.drop();
    for (const hub of [this.ofRun, this.ofTenant, this.texts]) hub.clear();
    await this.disconnect();
  }

  protected hear(channel: Channel, payload: string): void {
    if (channel === 'deltas') return this.hearText(payload);
    const heard = unpackNotices(payload);
    if (!heard) return this.log.warn({ bytes: payload.length }, 'A message on the channel of run notices is not one');
    if (heard.origin !== this.origin) heard.notices.forEach((notice) => this.tell(notice));
  }

  private hearText(payload: string): void {
    const heard = unpackDeltas(payload);
    if (heard && heard.origin !== this.origin) this.showHere(heard.items);
  }

  private tell(notice: EventNotice): void {
    this.ofRun.tell(runKey(notice), notice);
    this.ofTenant.tell(notice.tenantId, notice);
  }

  private showHere(deltas: readonly TextDelta[]): void {
    for (const delta of deltas) this.texts.tell(runKey(delta), delta);
  }

  /** What comes while the connection is still busy with earlier text is dropped for other processes. */
  private pass(deltas: readonly TextDelta[]): void {
    this.showHere(deltas);
    if (!this.connection.isOpen || this.isSendingText) return;
    this.isSendingText = true;
    void this.sendText(deltas).finally(() => (this.isSendingText = false));
  }

  private async sendText(deltas: readonly TextDelta[]): Promise<void> {
    try {
      for (const payload of packDeltas(this.origin, deltas, MAX_DELTA_PAYLOADS)) await this.send('deltas', payload);
    } catch {
      // The connection broke, or the text is too much for it: whoever watched misses a piece.
    }
  }
}
