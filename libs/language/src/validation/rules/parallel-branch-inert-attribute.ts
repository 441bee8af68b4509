import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

/** A branch has a session of its own, so it can neither continue a thread nor take over a full history. */
export const parallelBranchInertAttribute: Rule = {
  id: 'parallel_branch_inert_attribute',
  severity: 'warning',
  *check(workflow) {
    for (const edge of withAny(workflow.edgesWith('fidelity'), workflow.edgesWith('thread_id'))) {
      if (!workflow.isBranch(edge)) continue;
      for (const [attribute, shown] of inert(edge)) {
        const message = `${shown} on the edge ${edge.from} -> ${edge.to} is ignored: the edge begins a parallel branch.`;
        yield workflow.onEdge(edge, message, { attribute });
      }
    }
    for (const node of withAny(workflow.nodesWith('fidelity'), workflow.nodesWith('thread_id'))) {
      if (!workflow.isOnlyBranch(node.id)) continue;
      for (const [attribute, shown] of inert(node)) {
        const message = `${shown} on node ${quote(node.id)} is ignored: the node only begins parallel branches.`;
        yield workflow.onNode(node, message, { attribute });
      }
    }
  },
};

function withAny<T>(...lists: (readonly T[])[]): ReadonlySet<T> {
  return new Set(lists.flat());
}

function* inert({ fidelity, threadId }: { fidelity?: string; threadId?: string }): Generator<[string, string]> {
  if (fidelity === 'full') yield ['fidelity', 'fidelity=full'];
  if (threadId !== undefined) yield ['thread_id', 'thread_id'];
}
