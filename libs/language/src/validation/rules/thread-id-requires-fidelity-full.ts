import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';
import { type CheckedWorkflow } from '../workflow.js';

/** A thread is the session of the stages before; only `full` takes it over. Branches never do, and have their own rule. */
export const threadIdRequiresFidelityFull: Rule = {
  id: 'thread_id_requires_fidelity_full',
  severity: 'warning',
  *check(workflow) {
    const { defaultFidelity, defaultThread } = workflow.graph.attributes;
    const fix = 'Set fidelity=full there too.';

    if (defaultThread !== undefined && !asksForFull(workflow)) {
      const message = 'default_thread has no effect: no node, edge or default_fidelity asks for the fidelity full.';
      yield workflow.onGraph(message, { attribute: 'default_thread', fix: 'Set default_fidelity=full.' });
    }
    for (const node of workflow.nodesWith('thread_id')) {
      if (node.threadId === undefined || workflow.isOnlyBranch(node.id)) continue;
      if ((node.fidelity ?? defaultFidelity) === 'full') continue;
      if (workflow.index.incoming(node.id).some(({ fidelity }) => fidelity === 'full')) continue;
      yield workflow.onNode(node, `Node ${quote(node.id)} has a thread_id, but its fidelity is not full.`, {
        attribute: 'thread_id',
        fix,
      });
    }
    for (const edge of workflow.edgesWith('thread_id')) {
      if (edge.threadId === undefined || workflow.isBranch(edge)) continue;
      if ((edge.fidelity ?? workflow.index.node(edge.to)?.fidelity ?? defaultFidelity) === 'full') continue;
      const message = `The edge ${edge.from} -> ${edge.to} has a thread_id, but the fidelity there is not full.`;
      yield workflow.onEdge(edge, message, { attribute: 'thread_id', fix });
    }
  },
};

function asksForFull({ graph, nodes, edges }: CheckedWorkflow): boolean {
  if (graph.attributes.defaultFidelity === 'full') return true;
  return nodes.some(({ fidelity }) => fidelity === 'full') || edges.some(({ fidelity }) => fidelity === 'full');
}
