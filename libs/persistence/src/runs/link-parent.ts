import type { RunKey } from '#libs/engine';
import type { Principal } from '#libs/events';
import type { RunId, TenantId } from '#libs/kernel';
import { RunNotFoundError, type LinkCommand, type Moment } from '#libs/runs';
import type { Queryable, Statement } from '../database.js';
import type { GrownLog } from '../log/commit-signals.js';
import { noteRuns, obeying } from './note-runs.js';

export interface LinkRequest extends RunKey {
  /** Null where the run shall have no parent. */
  parentId: RunId | null;
  actor: Principal;
}

// UNION and not UNION ALL: a circle, should there ever be one, is walked once.
const readLine: Statement = {
  name: 'read-line',
  text: `
WITH RECURSIVE line(id, parent_id) AS (
  SELECT id, parent_id FROM runs WHERE tenant_id = $1 AND id = $2
  UNION
  SELECT r.id, r.parent_id FROM line JOIN runs r ON r.tenant_id = $1 AND r.id = line.parent_id)
SELECT id, parent_id AS "parentId" FROM line`,
};

/** How many generations are searched. A run further away does not count as a descendant. */
const GENERATIONS = 100;

const findAncestor: Statement = {
  name: 'find-ancestor',
  text: `
WITH RECURSIVE line(parent_id, generation) AS (
  SELECT parent_id, 1 FROM runs WHERE tenant_id = $1 AND id = $2
  UNION ALL
  SELECT r.parent_id, line.generation + 1 FROM line JOIN runs r ON r.tenant_id = $1 AND r.id = line.parent_id
   WHERE line.parent_id <> $3 AND line.generation < ${GENERATIONS})
SELECT FROM line WHERE parent_id = $3 LIMIT 1`,
};

const writeParent: Statement = {
  name: 'write-parent',
  text: 'UPDATE runs SET parent_id = $3 WHERE tenant_id = $1 AND id = $2',
};

/** A run and all its ancestors, each with its own parent; empty when there is no such run. */
export async function lineOf(db: Queryable, { tenantId, runId }: RunKey): Promise<Map<RunId, RunId | null>> {
  const line = await db.query<{ id: RunId; parentId: RunId | null }>(readLine, [tenantId, runId]);
  return new Map(line.map(({ id, parentId }) => [id, parentId]));
}

/** Whether a run has this ancestor, {@link GENERATIONS} above it at most. No run is its own ancestor. */
export async function descends(db: Queryable, { tenantId, runId }: RunKey, ancestor: RunId): Promise<boolean> {
  return (await db.query(findAncestor, [tenantId, runId, ancestor])).length > 0;
}

/** First key of the advisory lock under which the links of a tenant are made; the second is a hash of its id. */
const LINKS = 0x6c_69;

const lockLinks: Statement = { name: 'lock-links', text: `SELECT pg_advisory_xact_lock(${LINKS}, hashtext($1))` };

/** Until this transaction ends nobody else makes or takes a link of the tenant. */
export async function lockLinksOf(tx: Queryable, tenantId: TenantId): Promise<void> {
  await tx.query(lockLinks, [tenantId]);
}

/**
 * Gives a run another parent, or none. The links of a tenant are made one after the other, so two that would close a
 * circle together cannot miss each other. Throws {@link RunNotFoundError} for either run, and
 * {@link ParentCycleError}. A run that has this parent already is left as it is.
 */
export async function linkParent(tx: Queryable, request: LinkRequest, moment: Moment): Promise<GrownLog[]> {
  const { tenantId, runId, parentId } = request;
  await lockLinksOf(tx, tenantId);
  const previousParentId = (await lineOf(tx, request)).get(runId);
  if (previousParentId === undefined) throw new RunNotFoundError(runId);
  const command = await linkCommand(tx, request, previousParentId);
  const { results, grown } = await noteRuns(tx, [{ tenantId, runId }], obeying(command, moment));
  if (results[0] instanceof Error) throw results[0];
  if (grown.length > 0) await tx.query(writeParent, [tenantId, runId, parentId]);
  return grown;
}

async function linkCommand(
  tx: Queryable,
  { tenantId, parentId, actor }: LinkRequest,
  previousParentId: RunId | null,
): Promise<LinkCommand> {
  if (parentId === null) return { kind: 'unlink', actor, previousParentId };
  const line = await lineOf(tx, { tenantId, runId: parentId });
  if (!line.has(parentId)) throw new RunNotFoundError(parentId);
  return { kind: 'link', actor, parentId, previousParentId, lineage: new Set(line.keys()) };
}
