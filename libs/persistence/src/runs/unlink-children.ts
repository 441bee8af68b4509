import type { RunKey } from '#libs/engine';
import { stamp, type Principal } from '#libs/events';
import type { RunId } from '#libs/kernel';
import type { Queryable, Statement } from '../database.js';
import type { GrownLog } from '../log/commit-signals.js';
import { lockLinksOf } from './link-parent.js';
import { noteRuns } from './note-runs.js';

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
  { tenantId, runId: previous_parent_id }: RunKey,
  actor: Principal,
  nowMs: number,
): Promise<{ grown: GrownLog[]; isDone: boolean }> {
  await lockLinksOf(tx, tenantId);
  const children = await tx.query<{ id: RunId }>(readChildren, [tenantId, previous_parent_id]);
  if (children.length === 0) return { grown: [], isDone: true };
  const ids = children.map(({ id }) => id);
  const unlinked = { event: 'run.parent.unlinked', actor, properties: { previous_parent_id } } as const;
  const { grown } = await noteRuns(
    tx,
    ids.map((runId) => ({ tenantId, runId })),
    () => ({ events: [stamp(unlinked, nowMs)], result: undefined }),
  );
  await tx.query(forgetParent, [tenantId, previous_parent_id, ids]);
  return { grown, isDone: children.length < BATCH };
}
