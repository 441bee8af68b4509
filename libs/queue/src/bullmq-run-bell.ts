import { InvariantError, monotonicMs, newEventId } from '#libs/kernel';
import { RunBell, type RunHint } from '#libs/scheduling';
import type { Queue } from 'bullmq';
import { type Backend, postgresBackend, redisBackend } from './backends.js';
import { ConnectionErrorLog, type WarningLog } from './connection-error-log.js';
import { QueueUnavailableError } from './errors.js';
import { hintJob, probeJob } from './hint-job.js';
import { listenForHints, type StopListening } from './listener.js';
import { closeSoon, within } from './time-limit.js';

const RING_MS = 1_000;
const PROBE_POLL_MS = 20;

export interface BellOptions {
  log: WarningLog;
  /** Keeps installations apart that share a server: the key prefix on Redis, the schema on PostgreSQL. */
  namespace?: string;
}

/**
 * The bell on BullMQ. Neither end waits for an absent server: sending fails within a second, hearing begins by itself
 * when the server is back.
 */
export class BullMqRunBell extends RunBell {
  private queue: Queue | undefined;
  private readonly listeners = new Set<StopListening>();
  private readonly errors: ConnectionErrorLog;
  private heardAtMs = -Infinity;
  private closed = false;

  private constructor(
    private readonly backend: Backend,
    private readonly log: WarningLog,
  ) {
    super();
    this.errors = new ConnectionErrorLog(log);
  }

  /** Lets Redis (or Valkey) carry the hints. Check it first with `assertRedisFit`. */
  static onRedis(url: string, { log, namespace = 'runyard' }: BellOptions): BullMqRunBell {
    return new BullMqRunBell(redisBackend(url, namespace), log);
  }

  /** Lets PostgreSQL carry the hints, in a schema of its own that is made and migrated on first use. */
  static onPostgres(connectionString: string, { log, namespace = 'bullmq' }: BellOptions): BullMqRunBell {
    return new BullMqRunBell(postgresBackend(connectionString, namespace), log);
  }

  async ring(hints: readonly RunHint[]): Promise<void> {
    if (hints.length === 0) return;
    await this.sending((queue) => queue.addBulk(hints.map(hintJob)));
  }

  async listen(concurrency: number, handler: (hint: RunHint) => Promise<void>): Promise<StopListening> {
    if (this.closed) throw new InvariantError('A closed bell was asked to listen.');
    const stop = await listenForHints(
      this.backend,
      concurrency,
      handler,
      this.log,
      () => this.answers(),
      () => (this.heardAtMs = monotonicMs()),
    );
    this.listeners.add(stop);
    return async () => {
      this.listeners.delete(stop);
      await stop();
    };
  }

  /**
   * True once a listener, in this process or another, has completed a probe. The probe takes a listener's slot like a
   * hint, so handlers that hold every slot for long make it late.
   */
  async roundTrip(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    const { name, data, opts } = probeJob(newEventId(Date.now()));
    try {
      const probe = await within(
        timeoutMs,
        this.sending((queue) => queue.add(name, data, opts)),
      );
      let completed = false;
      while (!completed && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, PROBE_POLL_MS));
        completed = await within(deadline - performance.now(), probe.isCompleted());
      }
      await within(RING_MS, probe.remove());
      return completed;
    } catch (error) {
      this.errors.add(error, 'The queue did not carry a probe');
      return false;
    }
  }

  heardAgoMs(): number | null {
    return this.listeners.size === 0 ? null : monotonicMs() - this.heardAtMs;
  }

  async close(): Promise<void> {
    await Promise.all([...this.listeners].map((stop) => stop()));
    if (this.queue) await closeSoon(this.queue.getBackend(), await this.answers());
    this.queue = undefined;
    this.closed = true;
  }

  private async answers(): Promise<boolean> {
    return this.sending((queue) => queue.count()).then(
      () => true,
      () => false,
    );
  }

  private async sending<T>(send: (queue: Queue) => Promise<T>): Promise<T> {
    if (this.closed) throw new QueueUnavailableError();
    this.queue ??= this.openQueue();
    try {
      return await within(RING_MS, send(this.queue));
    } catch (cause) {
      throw new QueueUnavailableError({ cause });
    }
  }

  /** A queue that fails while it opens stays broken for good, so the next caller gets a new one. */
  private openQueue(): Queue {
    const queue = this.backend.openQueue();
    queue.on('error', (error) => this.errors.add(error, 'The sending end of the run queue has an error'));
    queue.waitUntilReady().catch(async () => {
      if (this.queue === queue) this.queue = undefined;
      await closeSoon(queue.getBackend(), false);
    });
    return queue;
  }
}
