import { quote } from '../../diagnostics/wording.js';
import { type Node } from '../../graph/graph.js';
import { type Rule } from '../rule.js';
import { type CheckedWorkflow } from '../workflow.js';

export const reachability: Rule = {
  id: 'reachability',
  severity: 'warning',
  *check(workflow) {
    const starts = workflow.nodesOf('start');
    if (starts.length === 0) return;
    const reached = reachedFrom(workflow, starts);
    const lost = workflow.nodes.filter(({ id }) => !reached.has(id));
    for (const node of lost.sort((a, b) => (a.id < b.id ? -1 : 1))) {
      yield workflow.onNode(node, `Node ${quote(node.id)} is not reachable from the start node.`);
    }
  },
};

/** Edges are not the only way: a run also jumps to retry targets and to the answer nobody gave. */
function reachedFrom(workflow: CheckedWorkflow, starts: readonly Node[]): ReadonlySet<string> {
  const { retryTarget, fallbackRetryTarget } = workflow.graph.attributes;
  const open = [...starts.map(({ id }) => id), retryTarget, fallbackRetryTarget];
  const reached = new Set<string>();
  while (open.length > 0) {
    const id = open.pop();
    const node = id === undefined ? undefined : workflow.index.node(id);
    if (!node || reached.has(node.id)) continue;
    reached.add(node.id);
    for (const { to } of workflow.index.outgoing(node.id)) open.push(to);
    open.push(node.retryTarget, node.fallbackRetryTarget);
    if (node.kind === 'human') open.push(node.defaultChoice);
  }
  return reached;
}
