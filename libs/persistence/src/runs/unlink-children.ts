import type { RunKey } from '#libs/engine';
import type { Principal } from '#libs/events';
import type { RunId } from '#libs/kernel';
import type { Moment } from '#libs/runs';
import type { Queryable, Statement } from '../database.js';
import type { GrownLog } from '../log/commit-signals.js';
import { lockLinksOf } from './link-parent.js';
import { noteRuns, obeying } from './note-runs.js';

/** Children of one transaction: it holds the locks of all their heads. */
const BATCH = 200;

const readChildren: Statement = {
  name: 'read-children',
  text: `SELECT id FROM runs WHERE tenant_id = $1 AND parent_id = $2 ORDER BY id LIMIT ${BATCH}`,
};

const forgetParent: Statement = {
  name: 'forget-parent',
  text: 'UPDATE runs SET parent_id = NULL WHERE tenant_id = $1 AND parent_id = $2 AND id = ANY($3::text[])',
};

/** Takes the parent from some of its children, as their logs say then. `isDone` when it has none left. */
export async function unlinkChildren(
  tx: Queryable,
  { tenantId, runId: previousParentId }: RunKey,
  actor: Principal,
  moment: Moment,
): Promise<{ grown: GrownLog[]; isDone: boolean }> {
  await lockLinksOf(tx, tenantId);
  const children = await tx.query<{ id: RunId }>(readChildren, [tenantId, previousParentId]);
  if (children.length === 0) return { grown: [], isDone: true };
  const ids = children.map(({ id }) => id);
  const { grown } = await noteRuns(
    tx,
    ids.map((runId) => ({ tenantId, runId })),
    obeying({ kind: 'unlink', actor, previousParentId }, moment),
  );
  await tx.query(forgetParent, [tenantId, previousParentId, ids]);
  return { grown, isDone: children.length < BATCH };
}
