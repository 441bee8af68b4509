import type { RunKey } from '#libs/engine';
import { IllegalTransitionError, isTerminal, type Principal } from '#libs/events';
import type { Queryable } from '../database.js';
import { RunArchivedError, RunNotFoundError } from '../errors.js';
import type { GrownLog } from '../store/commit-signals.js';
import type { StoredDefinitions } from '../store/definitions.js';
import { bodiesOf } from '../store/event-rows.js';
import { keyOf, lockRunHeads } from '../store/locked-heads.js';
import { insertRuns, type PreparedRun } from './create-runs.js';
import { startLocked } from './start-runs.js';

export interface RetryRequest {
  /** The run that is tried again. */
  source: RunKey;
  /** The new run; its id is fresh. */
  prepared: PreparedRun;
  actor: Principal;
}

/**
 * Stores and starts a run that tries another again, in a transaction that holds the scheduler row. Throws when the source
 * is not over or is archived; its lock is taken last, for the start locks the tenant first.
 */
export async function retryRun(
  tx: Queryable,
  { source, prepared, actor }: RetryRequest,
  known: StoredDefinitions,
  nowMs: number,
): Promise<GrownLog[]> {
  const { run, append } = prepared;
  await insertRuns(tx, [prepared], known);
  const { grown } = await startLocked(tx, [{ tenantId: run.tenantId, runId: run.runId, actor }], nowMs);
  const head = (await lockRunHeads(tx, [source])).get(keyOf(source));
  if (!head) throw new RunNotFoundError(source.runId);
  if (head.isArchived) throw new RunArchivedError(source.runId);
  if (!isTerminal(head.status)) throw new IllegalTransitionError(source.runId, head.status, 'retried');
  return grown.map((log) => ({ ...log, bodies: [...bodiesOf(append), ...log.bodies] }));
}
