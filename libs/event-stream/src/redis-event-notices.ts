import { messageOf } from '#libs/kernel';
import { Redis } from 'ioredis';
import { RemoteEventNotices, type Channel } from './remote-event-notices.js';
import type { WarningLog } from './warning-log.js';

const CHANNELS: Record<Channel, string> = { notices: 'runyard:notices', deltas: 'runyard:deltas' };

/**
 * Notices over Redis publish and subscribe, on a connection each way. A lost connection is made again by itself, every
 * two seconds in the end; notices of that time are lost to other processes.
 */
export class RedisEventNotices extends RemoteEventNotices {
  private readonly publisher: Redis;
  private readonly subscriber: Redis;

  constructor(url: string, log: WarningLog) {
    super(log);
    const retryStrategy = (tries: number) => Math.min(50 * 2 ** tries, 2_000);
    this.publisher = new Redis(url, {
      retryStrategy,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 1_000,
    });
    this.subscriber = new Redis(url, { retryStrategy, autoResubscribe: false, maxRetriesPerRequest: null });
    for (const redis of [this.publisher, this.subscriber]) this.supervise(redis);
    this.subscriber.on('message', (channel, payload) =>
      this.hear(channel === CHANNELS.deltas ? 'deltas' : 'notices', payload),
    );
  }

  protected async send(channel: Channel, payload: string): Promise<void> {
    await this.publisher.publish(CHANNELS[channel], payload);
  }

  protected tune(): void {
    if (this.subscriber.status !== 'ready') return;
    const { deltas } = CHANNELS;
    const tuned = this.isWatching ? this.subscriber.subscribe(deltas) : this.subscriber.unsubscribe(deltas);
    tuned.catch(() => undefined); // A connection that broke is tuned at its next `ready`.
  }

  protected async disconnect(): Promise<void> {
    this.publisher.disconnect();
    this.subscriber.disconnect();
  }

  /** The state is open while both ways stand and the subscription was confirmed on this very connection. */
  private supervise(redis: Redis): void {
    let failing = false;
    redis.on('ready', () => {
      failing = false;
      void this.openWhenReady();
    });
    redis.on('close', () => this.connection.shut());
    redis.on('error', (error) => {
      if (failing || this.connection.isClosed) return;
      failing = true;
      this.log.warn({ error: messageOf(error) }, 'The connection for run notices is lost and will be made again');
    });
  }

  private async openWhenReady(): Promise<void> {
    if (this.publisher.status !== 'ready' || this.subscriber.status !== 'ready') return;
    try {
      await this.subscriber.subscribe(CHANNELS.notices);
      if (this.isWatching) this.tune();
      if (this.publisher.status === 'ready') this.connection.open();
    } catch {
      // The subscriber broke off meanwhile; its next `ready` comes here again.
    }
  }
}
