import { createPostgresBackend, Queue, type Processor, Worker } from 'bullmq';
import { QUEUE_NAME } from './hint-job.js';

/** Where the jobs live: how to open the sending and the hearing end on it. */
export interface Backend {
  openQueue(): Queue;
  openWorker(concurrency: number, processor: Processor): Worker;
}

/**
 * Job state never decides the state of a run: a job that stalls is heard again, however often, and a foreign one that
 * asks to be kept is not.
 */
const worker = {
  lockDuration: 30_000,
  stalledInterval: 15_000,
  maxStalledCount: 1_000,
  runRetryDelay: 1_000,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
};
/** BullMQ records an event per change of a job for readers that do not exist here. */
const streams = { events: { maxLen: 100 } };

export function redisBackend(url: string, namespace: string): Backend {
  const retryStrategy = (tries: number) => Math.min(200 * tries, 2_000);
  const sender = { url, retryStrategy, enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 1_000 };
  const hearer = { url, retryStrategy, maxRetriesPerRequest: null };
  const prefix = namespace;
  return {
    openQueue: () => new Queue(QUEUE_NAME, { connection: sender, prefix, streams }),
    openWorker: (concurrency, processor) =>
      new Worker(QUEUE_NAME, processor, { connection: hearer, prefix, concurrency, ...worker }),
  };
}

/**
 * The backend is given to each queue by itself: BullMQ's default one belongs to the whole process, which may speak to
 * Redis elsewhere. Idle workers are woken by NOTIFY, so their polling interval does not matter.
 */
export function postgresBackend(connectionString: string, namespace: string): Backend {
  const connection = {
    connectionString,
    schema: namespace,
    migrate: true,
    max: 4,
    connectionTimeoutMillis: 1_500,
    statement_timeout: 10_000,
    keepAlive: true,
  };
  return {
    openQueue: () => plain(new Queue(QUEUE_NAME, { connection, streams }, createPostgresBackend)),
    openWorker: (concurrency, processor) =>
      plain(new Worker(QUEUE_NAME, processor, { connection, concurrency, ...worker }, createPostgresBackend)),
  };
}

/** Hides which backend is behind it: BullMQ's types tell them apart, its methods do not. */
function plain<T>(opened: unknown): T {
  return opened as T;
}
