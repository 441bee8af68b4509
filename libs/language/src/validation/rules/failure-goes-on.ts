import { type Node } from '../../graph/graph.js';
import { type Rule } from '../rule.js';
import { type Workflow } from '../workflow.js';

const MAX_NAMED = 5;

/** A failed stage follows an unconditional edge like any other. That is often meant, so it is said once, as a hint. */
export const failureGoesOn: Rule = {
  id: 'failure_goes_on',
  severity: 'info',
  *check(workflow) {
    const found = workflow.nodesOf('command').filter((node) => ignoresFailure(workflow, node));
    const [first] = found;
    if (!first) return;
    const ids = found
      .slice(0, MAX_NAMED)
      .map(({ id }) => id)
      .join(', ');
    const names = found.length > MAX_NAMED ? `${ids} and ${found.length - MAX_NAMED} more` : ids;
    const message = `When a script fails, the run goes on along the unconditional edge (${names}).`;
    yield workflow.onNode(first, message, {
      fix: 'To stop there, set goal_gate=true, or route with condition="outcome=failed".',
    });
  },
};

function ignoresFailure({ index }: Workflow, node: Node): boolean {
  if (node.goalGate || node.autoStatus) return false;
  const outgoing = index.outgoing(node.id);
  if (outgoing.length === 0 || outgoing.some((edge) => edge.condition !== undefined)) return false;
  // A conditional node behind it sees this stage's outcome, and a fan-in collects it.
  return !outgoing.some(({ to }) => ['conditional', 'parallel.fan_in'].includes(index.node(to)?.kind ?? ''));
}
