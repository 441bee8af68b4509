import type { Edge, Node } from '#libs/language';
import type { Briefing } from '../preamble/briefing.js';
import { isHidden } from '../preamble/briefing.js';
import { fidelityOf, threadOf } from '../preamble/fidelity.js';
import { contextKeys, contextValue } from './context.js';
import { hostOf } from './cursors.js';
import { asksModel } from './definition.js';
import type { Cursor, HistoryEntry, RunState } from './state.js';
import type { WalkContext } from './walk-context.js';

/** What the model of a node is told, as it stands now; undefined for a node that asks none. */
export function briefingFor(walk: WalkContext, node: Node): Briefing | undefined {
  if (!asksModel(node)) return undefined;
  const { definition, state, cursor, workflow } = walk;
  const edge = edgeTaken(walk);
  const fidelity = fidelityOf(edge, node, workflow.graph);
  const context = [...contextKeys(state, cursor)].flatMap((key) => {
    const value = isHidden(key) ? undefined : contextValue(definition, state, cursor, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    // A branch has no conversation of its own to go on with.
    fidelity: cursor.branch && fidelity === 'full' ? 'summary:high' : fidelity,
    threadId: cursor.branch ? null : threadOf(edge, node, workflow.graph, cursor.arrivedBy?.from),
    goal: workflow.goal,
    runId: definition.runId,
    history: historyOf(state, cursor),
    context,
    nodeOf: (id) => definition.node(id),
  };
}

function edgeTaken({ cursor: { arrivedBy, position }, workflow }: WalkContext): Edge | undefined {
  if (!arrivedBy || position.at !== 'stage') return undefined;
  const { from, label, condition } = arrivedBy;
  const { node } = position.stage;
  return workflow.index
    .outgoing(from)
    .find((edge) => edge.to === node && edge.label === label && edge.condition === condition);
}

/** What was done on this path, and before it on those it left. */
function historyOf(state: RunState, cursor: Cursor): HistoryEntry[] {
  const host = hostOf(state, cursor);
  return host ? [...historyOf(state, host), ...cursor.history] : [...cursor.history];
}
