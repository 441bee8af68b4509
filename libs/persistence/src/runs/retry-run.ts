import type { RunKey } from '#libs/engine';
import type { Principal } from '#libs/events';
import { requireTaken, type Moment } from '#libs/runs';
import type { Queryable } from '../database.js';
import type { GrownLog } from '../log/commit-signals.js';
import type { DefinitionKey, StoredDefinitions } from './definitions.js';
import { bodiesOf } from '../log/event-rows.js';
import { keyOf, lockRunHeads } from '../log/locked-heads.js';
import { insertRuns, type Insertion, type PreparedRun } from './create-runs.js';
import { prepareStart, startLocked } from './start-runs.js';

export interface RetryRequest {
  /** The run that is tried again. */
  source: RunKey;
  /** The new run; its id is fresh. */
  prepared: PreparedRun;
  actor: Principal;
}

export interface RetriedRun {
  kind: 'stored';
  bornAt: string;
  /** The new run's log. */
  grown: GrownLog;
  /** What is stored as soon as the transaction is committed, and not before. */
  definitions: readonly DefinitionKey[];
}

/** The new run was not stored, so the transaction is to be rolled back. */
export class RunNotInsertedError extends Error {
  constructor(readonly insertion: Exclude<Insertion, { kind: 'stored' }>) {
    super('The new run was not stored.');
  }
}

/**
 * Stores and starts a run that tries another again, in a transaction that holds the scheduler row. Throws when the source
 * is not over or is archived, and a {@link RunNotInsertedError} when the new run is not stored. The source's lock is taken
 * last, for the start locks the tenant first.
 */
export async function retryRun(
  tx: Queryable,
  { source, prepared, actor }: RetryRequest,
  known: Pick<StoredDefinitions, 'has'>,
  moment: Moment,
): Promise<RetriedRun> {
  const { run, append } = prepared;
  const { results, definitions } = await insertRuns(tx, [prepared], known);
  const [insertion] = results;
  if (insertion?.kind !== 'stored') throw new RunNotInsertedError(insertion!);
  const { tenantId, runId } = run;
  const { grown } = await startLocked(tx, [prepareStart({ tenantId, runId, actor }, moment)]);
  const head = (await lockRunHeads(tx, [source])).get(keyOf(source));
  requireTaken(source.runId, head, 'retry');
  const [started] = grown;
  return { ...insertion, definitions, grown: { ...started!, bodies: [...bodiesOf(append), ...started!.bodies] } };
}
