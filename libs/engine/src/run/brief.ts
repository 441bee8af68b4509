import type { Edge, Fidelity, Node } from '#libs/language';
import type { Briefing } from '../preamble/briefing.js';
import { isTold } from '../preamble/briefing.js';
import { fidelityOf, threadOf } from '../preamble/fidelity.js';
import { contextKeys, contextValue } from './context.js';
import { hostOf } from './cursors.js';
import { asksModel } from './definition.js';
import { forkOf, wayIntoBranch } from './fork.js';
import type { Cursor, HistoryEntry, RunState } from './state.js';
import type { WalkContext } from './walk-context.js';

/** What the model of a node is told, as it stands now; undefined for a node that asks none. */
export function briefingFor(walk: WalkContext, node: Node): Briefing | undefined {
  if (!asksModel(node)) return undefined;
  const { definition, state, cursor, workflow } = walk;
  const edge = edgeTaken(walk);
  const fidelity = fidelityOn(walk, node);
  const context = [...contextKeys(state, cursor)].flatMap((key) => {
    const value = isTold(key, fidelity) ? contextValue(definition, state, cursor, key) : undefined;
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    // A branch has no conversation of its own to go on with.
    fidelity: cursor.branch && fidelity === 'full' ? 'summary:high' : fidelity,
    threadId: cursor.branch ? null : threadOf(edge, node, workflow.graph, cursor.arrivedBy?.from),
    goal: workflow.goal,
    runId: definition.runId,
    history: historyOf(state, cursor),
    nodeCount: workflow.graph.nodes.filter(({ kind }) => kind !== 'start' && kind !== 'exit').length,
    context,
    nodeOf: (id) => definition.node(id),
  };
}

/** A branch is told as much as its fork would be, unless it says so itself. */
function fidelityOn(walk: WalkContext, node: Node): Fidelity {
  const { branch, host } = walk.cursor;
  const fork = branch && forkOf(walk);
  const ofFork = fork && host && walk.on(host.cursor, () => fidelityOn(walk, fork));
  return fidelityOf(edgeTaken(walk), node, walk.workflow.graph, ofFork);
}

/** The edge that led to the stage; none after a jump. The first stage of a branch was led to by an edge of its fork. */
function edgeTaken(walk: WalkContext): Edge | undefined {
  const { arrivedBy, position, steps } = walk.cursor;
  if (steps === 1 && !arrivedBy) return wayIntoBranch(walk);
  if (!arrivedBy || position.at !== 'stage') return undefined;
  const { from, label, condition } = arrivedBy;
  const { node } = position.stage;
  return walk.workflow.index
    .outgoing(from)
    .find((edge) => edge.to === node && edge.label === label && edge.condition === condition);
}

/** What was done on this path, and before it on those it left. */
function historyOf(state: RunState, cursor: Cursor): HistoryEntry[] {
  const host = hostOf(state, cursor);
  return host ? [...historyOf(state, host), ...cursor.history] : [...cursor.history];
}
