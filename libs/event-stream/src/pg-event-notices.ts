import { messageOf } from '#libs/kernel';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { RemoteEventNotices, type Channel } from './remote-event-notices.js';
import type { WarningLog } from './warning-log.js';

const CHANNELS: Record<Channel, string> = { notices: 'runyard_notices', deltas: 'runyard_deltas' };
const PULSE_MS = 10_000;
const MAX_BACKOFF_MS = 2_000;

/**
 * Notices over LISTEN and NOTIFY, on one connection that serves nothing else. A lost connection is made again by
 * itself, sooner at first and every two seconds in the end; notices of that time are lost to other processes.
 */
export class PgEventNotices extends RemoteEventNotices {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private client: pg.Client | undefined;

  constructor(
    private readonly connectionString: string,
    log: WarningLog,
  ) {
    super(log);
    this.running = this.keepConnected();
  }

  protected async send(channel: Channel, payload: string): Promise<void> {
    await this.client?.query('SELECT pg_notify($1, $2)', [CHANNELS[channel], payload]);
  }

  protected tune(): void {
    const command = this.isWatching ? 'LISTEN' : 'UNLISTEN';
    // A session that broke is replaced, and the next one listens as is wanted then.
    this.client?.query(`${command} ${CHANNELS.deltas}`).catch(() => undefined);
  }

  protected async disconnect(): Promise<void> {
    this.stopping.abort();
    await this.client?.end().catch(() => undefined);
    await this.running;
  }

  private async keepConnected(): Promise<void> {
    for (let failures = 0; !this.connection.isClosed; failures += 1) {
      try {
        await this.session(() => (failures = 0));
      } catch (error) {
        if (failures === 0 && !this.connection.isClosed) {
          this.log.warn({ error: messageOf(error) }, 'The connection for run notices is lost and will be made again');
        }
      }
      this.connection.shut();
      await sleep(Math.min(50 * 2 ** failures, MAX_BACKOFF_MS), undefined, { signal: this.stopping.signal }).catch(
        () => undefined,
      );
    }
  }

  /** One connection from its beginning to its end; rejects with the reason of the end. */
  private async session(begun: () => void): Promise<void> {
    const client = new pg.Client({
      connectionString: this.connectionString,
      application_name: 'runyard notices',
      connectionTimeoutMillis: 1_500,
      query_timeout: 5_000,
      keepAlive: true,
    });
    client.on('notification', ({ channel, payload }) =>
      this.hear(channel === CHANNELS.deltas ? 'deltas' : 'notices', payload ?? ''),
    );
    const ended = once(client, 'end');
    ended.catch(() => undefined); // Whoever waits for it below is told; before that, the connecting fails.
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNELS.notices}`);
      this.client = client;
      if (this.isWatching) this.tune();
      begun();
      this.connection.open();
      await Promise.race([ended, this.pulse(client)]);
    } finally {
      this.client = undefined;
      client.on('error', () => undefined);
      void client.end().catch(() => undefined);
    }
  }

  /** A connection may die without a word: it has to answer now and then. Rejects when it does not. */
  private async pulse(client: pg.Client): Promise<never> {
    for (;;) {
      await sleep(PULSE_MS, undefined, { signal: this.stopping.signal, ref: false });
      await client.query('SELECT 1');
    }
  }
}
