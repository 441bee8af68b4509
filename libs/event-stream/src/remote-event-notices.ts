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
import { WantedChannels } from './wanted-channels.js';
import type { WarningLog } from './warning-log.js';

/** What a channel carries. */
export type Content = 'notices' | 'deltas';

/** Payloads of text on one channel in one window; what does not fit them is dropped. */
const MAX_DELTA_PAYLOADS = 8;

/**
 * What both adapters share. Listeners of this process hear every notice, without a detour; other processes hear them
 * thinned and packed, as long as the connection stands, on channels that they listen to while somebody there wants to
 * hear. An adapter names the channels, keeps the state of its connection, calls `tuneIn` on each new one before it says
 * that it stands, and calls `hear` with what comes.
 */
export abstract class RemoteEventNotices extends EventNotices {
  protected readonly connection = new ConnectionState();
  protected readonly channels = new WantedChannels((channel, isWanted) => this.retune(channel, isWanted));
  private readonly origin = newEventId(Date.now());
  private readonly ofRun: LocalHub<EventNotice>;
  private readonly ofTenant: LocalHub<EventNotice>;
  private readonly texts: LocalHub<TextDelta>;
  /** By channel: those who want to know that they may have missed something. */
  private readonly gaps: LocalHub<void>;
  private readonly sender = new NoticeSender(this.origin, (channel, payload) => this.send(channel, payload));
  private readonly windows = new NoticeWindows((notice) => {
    if (this.connection.isOpen) this.sender.add(this.channelOf('notices', notice.tenantId), notice);
  });
  private readonly deltas = new DeltaWindow((deltas) => this.pass(deltas));
  private isSendingText = false;
  /** Settles when the connection has done everything that {@link tune} asked for. */
  private tuned: Promise<unknown> = Promise.resolve();

  constructor(protected readonly log: WarningLog) {
    super();
    this.ofRun = new LocalHub(log);
    this.ofTenant = new LocalHub(log);
    this.texts = new LocalHub(log);
    this.gaps = new LocalHub(log);
  }

  /** The channel for one kind of content of a tenant; several tenants may share one. */
  protected abstract channelOf(content: Content, tenantId: TenantId): string;
  protected abstract send(channel: string, payload: string): Promise<void>;
  /**
   * Begins or ends listening to a channel, in the order of the calls. Resolves when the server has confirmed it, rejects
   * when the connection breaks; undefined where there is none.
   */
  protected abstract tune(channel: string, isWanted: boolean): Promise<unknown> | undefined;
  protected abstract disconnect(): Promise<void>;

  publish(notice: EventNotice): void {
    if (this.connection.isClosed) return;
    this.tell(notice);
    this.windows.add(notice);
  }

  subscribe(
    tenantId: TenantId,
    runId: RunId,
    listener: (notice: EventNotice) => void,
    missed?: () => void,
  ): () => void {
    return this.listen('notices', tenantId, this.ofRun.subscribe(runKey({ tenantId, runId }), listener), missed);
  }

  subscribeAll(tenantId: TenantId, listener: (notice: EventNotice) => void, missed?: () => void): () => void {
    return this.listen('notices', tenantId, this.ofTenant.subscribe(tenantId, listener), missed);
  }

  show(delta: TextDelta): void {
    if (!this.connection.isClosed) this.deltas.add(delta);
  }

  watch(tenantId: TenantId, runId: RunId, listener: (delta: TextDelta) => void): () => void {
    return this.listen('deltas', tenantId, this.texts.subscribe(runKey({ tenantId, runId }), listener));
  }

  async ready(): Promise<void> {
    await this.connection.opened();
    await this.tuned;
  }

  async close(): Promise<void> {
    this.connection.close();
    this.windows.close();
    this.deltas.close();
    this.sender.drop();
    this.channels.close();
    for (const hub of [this.ofRun, this.ofTenant, this.texts, this.gaps]) hub.clear();
    await this.disconnect();
  }

  /** Listens to all that is wanted, on a connection that is new; rejects when it breaks. */
  protected async tuneIn(): Promise<void> {
    await Promise.all(this.channels.all.map((channel) => this.begin(channel)));
  }

  protected hear(content: Content, payload: string): void {
    if (content === 'deltas') return this.hearText(payload);
    const heard = unpackNotices(payload);
    if (!heard) return this.log.warn({ bytes: payload.length }, 'A message on the channel of run notices is not one');
    if (heard.origin !== this.origin) heard.notices.forEach((notice) => this.tell(notice));
  }

  private listen(content: Content, tenantId: TenantId, leaveHub: () => void, missed?: () => void): () => void {
    const channel = this.channelOf(content, tenantId);
    const leaveGaps = missed && this.gaps.subscribe(channel, missed);
    const leaveChannel = this.channels.join(channel);
    return () => {
      leaveHub();
      leaveGaps?.();
      leaveChannel();
    };
  }

  private retune(channel: string, isWanted: boolean): void {
    const tuned = isWanted ? this.begin(channel) : this.tune(channel, false);
    // Where it failed, the next connection tunes in to everything that is wanted then.
    if (tuned) this.tuned = tuned.catch(() => undefined);
  }

  /** Whoever listens already may have missed what was sent before the server confirmed. */
  private async begin(channel: string): Promise<void> {
    const tuned = this.tune(channel, true);
    if (!tuned) return;
    await tuned;
    this.gaps.tell(channel);
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
    const sent = [...this.byChannel(deltas)].map(([channel, ofIt]) => this.sendText(channel, ofIt));
    void Promise.all(sent).finally(() => (this.isSendingText = false));
  }

  private byChannel(deltas: readonly TextDelta[]): Map<string, TextDelta[]> {
    const byChannel = new Map<string, TextDelta[]>();
    for (const delta of deltas) {
      const channel = this.channelOf('deltas', delta.tenantId);
      const ofIt = byChannel.get(channel);
      if (ofIt) ofIt.push(delta);
      else byChannel.set(channel, [delta]);
    }
    return byChannel;
  }

  private async sendText(channel: string, deltas: readonly TextDelta[]): Promise<void> {
    try {
      for (const payload of packDeltas(this.origin, deltas, MAX_DELTA_PAYLOADS)) await this.send(channel, payload);
    } catch {
      // The connection broke, or the text is too much for it: whoever watched misses a piece.
    }
  }
}
