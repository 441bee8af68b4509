import { messageOf, type TenantId } from '#libs/kernel';
import { Redis } from 'ioredis';
import { RemoteEventNotices, type Content } from './remote-event-notices.js';
import type { WarningLog } from './warning-log.js';

const DELTAS = 'runyard:deltas:';

/**
 * Notices over Redis publish and subscribe, on a connection each way and on channels of each tenant. A process is
 * subscribed to the tenants that somebody in it listens to, so what it hears does not grow with the number of processes
 * and tenants beside it. A lost connection is made again by itself, every two seconds in the end; notices of that time are
 * lost to other processes.
 */
export class RedisEventNotices extends RemoteEventNotices {
  private readonly publisher: Redis;
  private readonly subscriber: Redis;
  private isRefused = false;

  constructor(url: string, log: WarningLog) {
    super(log);
    const retryStrategy = (tries: number) => Math.min(50 * 2 ** tries, 2_000);
    this.publisher = new Redis(url, {
      retryStrategy,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 1_000,
    });
    this.subscriber = new Redis(url, {
      retryStrategy,
      autoResubscribe: false,
      maxRetriesPerRequest: null,
      // It may hear nothing for hours: the kernel sees that the connection lives.
      keepAlive: 10_000,
    });
    for (const redis of [this.publisher, this.subscriber]) this.supervise(redis);
    this.subscriber.on('message', (channel, payload) =>
      this.hear(channel.startsWith(DELTAS) ? 'deltas' : 'notices', payload),
    );
  }

  protected channelOf(content: Content, tenantId: TenantId): string {
    return content === 'deltas' ? `${DELTAS}${tenantId}` : `runyard:notices:${tenantId}`;
  }

  protected async send(channel: string, payload: string): Promise<void> {
    await this.publisher.publish(channel, payload);
  }

  protected tune(channel: string, isWanted: boolean): Promise<unknown> | undefined {
    if (this.subscriber.status !== 'ready') return undefined;
    const tuned = isWanted ? this.subscriber.subscribe(channel) : this.subscriber.unsubscribe(channel);
    return tuned.catch((error: unknown) => this.refused(error));
  }

  protected async disconnect(): Promise<void> {
    this.publisher.disconnect();
    this.subscriber.disconnect();
  }

  /** The state is open while both ways stand and every subscription was confirmed on this very connection. */
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
    if (this.subscriber.status !== 'ready') return;
    try {
      await this.tuneIn();
      if (this.publisher.status === 'ready') this.connection.open();
    } catch {
      // The subscriber broke off meanwhile; its next `ready` comes here again.
    }
  }

  /** Says so once: a user of Redis may have rights for some channels only. */
  private refused(error: unknown): never {
    if (this.subscriber.status === 'ready' && !this.isRefused) {
      this.isRefused = true;
      this.log.warn({ error: messageOf(error) }, 'Redis refuses a channel of run notices; readers look by themselves');
    }
    throw error;
  }
}
