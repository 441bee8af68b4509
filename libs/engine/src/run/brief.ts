import { InvariantError } from '#libs/kernel';
import type { Node } from '#libs/language';
import type { Briefing } from '../preamble/briefing.js';
import { isTold } from '../preamble/briefing.js';
import { contextKeys, contextValue } from './context.js';
import { hostOf } from './cursors.js';
import { asksModel } from './definition.js';
import type { Cursor, HistoryEntry, RunState } from './state.js';
import type { WalkContext } from './walk-context.js';

/** What the model of a node is told, as it stands now; undefined for a node that asks none. */
export function briefingFor(walk: WalkContext, node: Node): Briefing | undefined {
  if (!asksModel(node)) return undefined;
  const { definition, state, cursor, workflow } = walk;
  if (!cursor.telling) throw new InvariantError(`Nothing says how much "${node.id}" is told.`);
  const { fidelity, threadId } = cursor.telling;
  const context = [...contextKeys(state, cursor)].flatMap((key) => {
    const value = isTold(key, fidelity) ? contextValue(definition, state, cursor, key) : undefined;
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    fidelity,
    threadId,
    goal: workflow.goal,
    runId: definition.runId,
    history: historyOf(state, cursor),
    nodeCount: workflow.graph.nodes.filter(({ kind }) => kind !== 'start' && kind !== 'exit').length,
    context,
    nodeOf: (id) => definition.node(id),
  };
}

/** What was done on this path, and before it on those it left. */
function historyOf(state: RunState, cursor: Cursor): HistoryEntry[] {
  const host = hostOf(state, cursor);
  return host ? [...historyOf(state, host), ...cursor.history] : [...cursor.history];
}
