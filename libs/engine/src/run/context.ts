import type { Json } from '#libs/kernel';
import { held } from './by-name.js';
import { inherited, visitsOf } from './cursors.js';
import type { RunDefinition } from './definition.js';
import type { Cursor, RunState } from './state.js';

/**
 * A context value by its flat key, as a path sees it: what the engine keeps at hand, what stages of this path wrote,
 * what the path it left holds, what the graph declared.
 */
export function contextValue(
  definition: RunDefinition,
  state: RunState,
  cursor: Cursor,
  key: string,
): Json | undefined {
  const current = engineValue(state, cursor, key);
  if (current !== undefined) return current;
  const written = inherited(state, cursor, ({ context }) => held(context, key));
  return written === undefined ? definition.workflow(cursor.workflow).seeds.get(key) : written;
}

/** Every key that stages wrote, as a path sees it: its own value first. */
export function contextKeys(state: RunState, cursor: Cursor): Set<string> {
  const keys = new Set<string>();
  inherited(state, cursor, ({ context }) => {
    for (const key of Object.keys(context)) keys.add(key);
    return undefined;
  });
  return keys;
}

function engineValue(state: RunState, cursor: Cursor, key: string): Json | undefined {
  switch (key) {
    case 'current_node':
      return nodeAt(cursor);
    case 'internal.node_visit_count':
      return visitsOf(state, cursor, nodeAt(cursor));
    case 'outcome':
      return lastReport(state, cursor)?.status;
    case 'failure_class': {
      const last = lastReport(state, cursor);
      return last && (last.failureCategory ?? '');
    }
    case 'failure_signature': {
      const last = lastReport(state, cursor);
      return last && (last.failureSignature ?? '');
    }
    case 'internal.parallel_group_id':
      return cursor.branch && cursor.host?.stageId;
    case 'internal.parallel_branch_id':
      return cursor.branch && cursor.host && `${cursor.host.stageId}:${cursor.branch.index}`;
    default:
      return undefined;
  }
}

/** What the stage recorded last reported: a path that has recorded none yet sees that of the path it left. */
export function lastReport(state: RunState, cursor: Cursor): Cursor['last'] {
  return inherited(state, cursor, ({ last }) => last ?? undefined) ?? null;
}

export function nodeAt({ position }: Cursor): string {
  return position.at === 'stage' ? position.stage.node : position.node;
}
