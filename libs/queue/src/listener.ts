import { messageOf } from '#libs/kernel';
import type { RunHint } from '#libs/scheduling';
import type { Worker } from 'bullmq';
import type { Backend } from './backends.js';
import { ConnectionErrorLog, type WarningLog } from './connection-error-log.js';
import { hintOf, isProbe, type FoundJob } from './hint-job.js';
import { closeSoon } from './time-limit.js';

export type StopListening = () => Promise<void>;

/** A server that is away holds up nobody's boot for longer: the listener finds it later by itself. */
const OPEN_MS = 1_000;

/**
 * Opens a hearing end. Every job it hears ends well, whatever its handler does: a failed job would only be a second,
 * misleading account of the run.
 */
export async function listenForHints(
  backend: Backend,
  concurrency: number,
  handler: (hint: RunHint) => Promise<void>,
  log: WarningLog,
  answers: () => Promise<boolean>,
  heard: () => void,
): Promise<StopListening> {
  const underWay = new Set<Promise<void>>();
  const worker = backend.openWorker(concurrency, async (job) => {
    heard();
    const handling = handle(job, handler, log);
    underWay.add(handling);
    await handling;
    underWay.delete(handling);
  });
  watch(worker, log);
  await untilOpen(worker);

  return async () => {
    await worker.pause(true);
    await Promise.all(underWay);
    await closeSoon(worker, await answers());
    await Promise.all(underWay);
  };
}

async function handle(job: FoundJob, handler: (hint: RunHint) => Promise<void>, log: WarningLog): Promise<void> {
  if (isProbe(job)) return;
  const hint = hintOf(job);
  if (!hint) return log.warn({ jobId: job.id, jobName: job.name }, 'A job in the run queue is not a hint');
  try {
    await handler(hint);
  } catch (error) {
    log.warn(
      { run: hint.runId, tenant: hint.tenantId, epoch: hint.epoch, error: messageOf(error) },
      'The handler of a hint failed',
    );
  }
}

/** A job's lock says nothing about the run's lease, so losing it is only worth a line. */
function watch(worker: Worker, log: WarningLog): void {
  const errors = new ConnectionErrorLog(log);
  worker.on('error', (error) => errors.add(error, 'The hearing end of the run queue has an error'));
  worker.on('lockRenewalFailed', (jobIds) => log.warn({ jobIds }, 'The queue lost its locks on hints under way'));
}

async function untilOpen(worker: Worker): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const longEnough = new Promise<void>((resolve) => (timer = setTimeout(resolve, OPEN_MS)));
  try {
    await Promise.race([worker.waitUntilReady(), longEnough]);
  } catch (error) {
    await closeSoon(worker, false);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
