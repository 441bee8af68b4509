import type { Edge } from '#libs/language';
import { fidelityOf, threadOf } from '../definition/fidelity.js';
import { hostOf, nodeAt, openStageOf } from './cursors.js';
import type { GraphFacts } from '../definition/graph-facts.js';
import type { Cursor, RunState, Telling } from './state.js';

/**
 * What the edge that was taken, the node, its fork and the graph say of it. Null where the graph lacks the node: a fork
 * may have another graph than the log that it begins with.
 */
export function tellingOn(state: RunState, cursor: Cursor, facts: GraphFacts): Telling | null {
  const index = facts.graphOf(cursor.workflow);
  const node = index?.node(nodeAt(cursor));
  if (!index || !node) return null;
  const { branch, arrivedBy } = cursor;
  const edge = edgeTaken(state, cursor, facts);
  const fork = branch && hostOf(state, cursor);
  const fidelity = fidelityOf(edge, node, index.graph, fork?.telling?.fidelity);
  // A branch has no conversation of its own to go on with.
  if (branch) return { fidelity: fidelity === 'full' ? 'summary:high' : fidelity, threadId: null };
  return { fidelity, threadId: threadOf(edge, node, index.graph, arrivedBy?.from) };
}

/** The conversation that a stage goes on with: models remember only what they are told in full. */
export function threadGoneOnWith({ fidelity, threadId }: Telling): string | null {
  return fidelity === 'full' ? threadId : null;
}

/** The edge that led to the stage; none after a jump. The first stage of a branch was led to by an edge of its fork. */
function edgeTaken(state: RunState, cursor: Cursor, facts: GraphFacts): Edge | undefined {
  const { arrivedBy, steps } = cursor;
  if (!arrivedBy) return steps === 1 ? wayIntoBranch(state, cursor, facts) : undefined;
  const { from, label, condition } = arrivedBy;
  return facts
    .graphOf(cursor.workflow)
    ?.outgoing(from)
    .find((edge) => edge.to === nodeAt(cursor) && edge.label === label && edge.condition === condition);
}

/** The edge along which this path left its fork; undefined when it is no branch. Items all go along one edge. */
function wayIntoBranch(state: RunState, cursor: Cursor, { graphOf }: GraphFacts): Edge | undefined {
  const host = hostOf(state, cursor);
  const forkId = host && openStageOf(host)?.node;
  const index = graphOf(cursor.workflow);
  const fork = forkId === undefined ? undefined : index?.node(forkId);
  if (!cursor.branch || !index || fork?.kind !== 'parallel') return undefined;
  return index.outgoing(fork.id)[fork.forEach === undefined ? cursor.branch.index : 0];
}
