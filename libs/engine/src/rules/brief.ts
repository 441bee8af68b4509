import type { KeptMarks } from '#libs/events';
import { InvariantError, type Json } from '#libs/kernel';
import type { Node } from '#libs/language';
import type { Briefing } from '../preamble/briefing.js';
import { asksModel } from '../definition/node-kinds.js';
import { isTold } from '../preamble/briefing.js';
import { hold } from '../state/by-name.js';
import { contextEntry, contextKeys } from '../state/context.js';
import { hostOf } from '../state/cursors.js';
import type { Cursor, HistoryEntry, RunState } from '../state/state.js';
import type { WalkContext } from './walk-context.js';

/** What the model of a node is told, as it stands now; undefined for a node that asks none. */
export function briefingFor(walk: WalkContext, node: Node): Briefing | undefined {
  if (!asksModel(node)) return undefined;
  const { definition, state, cursor, workflow } = walk;
  if (!cursor.telling) throw new InvariantError(`Nothing says how much "${node.id}" is told.`);
  const { fidelity, threadId } = cursor.telling;
  const context: [string, Json][] = [];
  const kept: KeptMarks = {};
  for (const key of contextKeys(state, cursor)) {
    const entry = isTold(key, fidelity) ? contextEntry(definition, state, cursor, key) : undefined;
    if (entry) context.push([key, entry.value]);
    if (entry?.mark !== undefined) hold(kept, key, entry.mark);
  }
  return {
    fidelity,
    threadId,
    goal: workflow.goal,
    runId: definition.runId,
    history: historyOf(state, cursor),
    nodeCount: workflow.graph.nodes.filter(({ kind }) => kind !== 'start' && kind !== 'exit').length,
    context,
    kept,
    nodeOf: (id) => definition.node(id),
  };
}

/** What was done on this path, and before it on those it left. */
function historyOf(state: RunState, cursor: Cursor): HistoryEntry[] {
  const host = hostOf(state, cursor);
  return host ? [...historyOf(state, host), ...cursor.history] : [...cursor.history];
}
