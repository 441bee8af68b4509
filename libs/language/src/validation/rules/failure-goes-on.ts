import { namesInBrief, quote } from '../../diagnostics/wording.js';
import { type Node } from '../../graph/graph.js';
import { type Rule } from '../rule.js';
import { type CheckedWorkflow } from '../workflow.js';

/** A failed stage follows an unconditional edge like any other. That is often meant, so it is said once, as a hint. */
export const failureGoesOn: Rule = {
  id: 'failure_goes_on',
  severity: 'info',
  *check(workflow) {
    const found = workflow.nodesOf('command').filter((node) => ignoresFailure(workflow, node));
    const [first] = found;
    if (!first) return;
    const others = namesInBrief(found.slice(1).map(({ id }) => id));
    const also = others === '' ? '' : ` The same holds for ${others}.`;
    const message = `When the script of ${quote(first.id)} fails, the run goes on as if it had not.${also}`;
    yield workflow.onNode(first, message, {
      fix: 'To stop there, add an edge with condition="outcome=failed"; if it is meant, say so: auto_status=true.',
    });
  },
};

function ignoresFailure({ index }: CheckedWorkflow, node: Node): boolean {
  if (node.goalGate || node.autoStatus) return false;
  const outgoing = index.outgoing(node.id);
  if (outgoing.length === 0 || outgoing.some((edge) => edge.condition !== undefined)) return false;
  // A conditional node behind it sees this stage's outcome, and a fan-in collects it.
  return !outgoing.some(({ to }) => ['conditional', 'parallel.fan_in'].includes(index.node(to)?.kind ?? ''));
}
