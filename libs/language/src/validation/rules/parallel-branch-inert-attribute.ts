import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

/** A branch has a session of its own, so it can neither continue a thread nor take over a full history. */
export const parallelBranchInertAttribute: Rule = {
  id: 'parallel_branch_inert_attribute',
  severity: 'warning',
  *check(workflow) {
    for (const edge of workflow.edges) {
      if (!hasInert(edge) || !workflow.isBranch(edge)) continue;
      for (const [attribute, shown] of inert(edge)) {
        const message = `${shown} on the edge ${edge.from} -> ${edge.to} is ignored: the edge begins a parallel branch.`;
        yield workflow.onEdge(edge, message, { attribute });
      }
    }
    for (const node of workflow.nodes) {
      if (!hasInert(node) || !workflow.isOnlyBranch(node.id)) continue;
      for (const [attribute, shown] of inert(node)) {
        const message = `${shown} on node ${quote(node.id)} is ignored: the node only begins parallel branches.`;
        yield workflow.onNode(node, message, { attribute });
      }
    }
  },
};

interface Session {
  fidelity?: string;
  threadId?: string;
}

function hasInert({ fidelity, threadId }: Session): boolean {
  return fidelity === 'full' || threadId !== undefined;
}

function* inert({ fidelity, threadId }: Session): Generator<[string, string]> {
  if (fidelity === 'full') yield ['fidelity', 'fidelity=full'];
  if (threadId !== undefined) yield ['thread_id', 'thread_id'];
}
