import { cleanText, isUlid, type RunId, type TenantId } from '#libs/kernel';
import type { RunHint } from '#libs/scheduling';
import type { BulkJobOptions } from 'bullmq';

export const QUEUE_NAME = 'runs';
const HINT = 'hint';
const PROBE = 'probe';

export interface NewJob {
  name: string;
  data: Record<string, unknown>;
  opts: BulkJobOptions;
}

/** What a listener finds in the queue. Anybody may have put it there. */
export interface FoundJob {
  id?: string | undefined;
  name: string;
  data: unknown;
}

/**
 * One job per promotion of a run: adding an id that still waits does nothing, and a finished job leaves no id behind
 * that would swallow the next hint.
 */
export function hintJob(hint: RunHint): NewJob {
  return {
    name: HINT,
    data: { tenantId: hint.tenantId, runId: hint.runId },
    opts: { jobId: jobIdOf(hint), attempts: 1, removeOnComplete: true, removeOnFail: true },
  };
}

/** A job that any listener completes and nobody acts on. It overtakes the hints: it measures the way, not the backlog. */
export function probeJob(id: string): NewJob {
  return {
    name: PROBE,
    data: {},
    opts: { jobId: `probe-${id}`, attempts: 1, lifo: true, removeOnComplete: { age: 60 }, removeOnFail: true },
  };
}

export function isProbe(job: FoundJob): boolean {
  return job.name === PROBE;
}

/** The hint in a job; `undefined` for a job of another make: one that names no run, or whose id and ids do not agree. */
export function hintOf(job: FoundJob): RunHint | undefined {
  const epoch = /-(\d+)$/.exec(job.id ?? '')?.[1];
  if (job.name !== HINT || epoch === undefined || typeof job.data !== 'object' || job.data === null) return undefined;

  const { tenantId, runId } = job.data as Record<string, unknown>;
  if (typeof tenantId !== 'string' || typeof runId !== 'string') return undefined;
  if (!isUlid(runId) || cleanText(tenantId) !== tenantId) return undefined;

  const hint = { tenantId: tenantId as TenantId, runId: runId as RunId, epoch: Number(epoch) };
  return jobIdOf(hint) === job.id ? hint : undefined;
}

/** BullMQ refuses ids with a colon, which a tenant may have. */
function jobIdOf({ tenantId, runId, epoch }: RunHint): string {
  return `run-${encodeURIComponent(tenantId)}-${encodeURIComponent(runId)}-${epoch}`;
}
