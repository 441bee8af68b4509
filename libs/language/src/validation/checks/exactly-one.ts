import { quote, withArticle } from '../../diagnostics/wording.js';
import { kindClaimedById } from '../../graph/handler-kind.js';
import { type Finding } from '../../diagnostics/finding.js';
import { type CheckedWorkflow } from '../workflow.js';

const MAX_NAMED = 5;

/**
 * Exactly one node is the start, and one the exit. A node whose id claims the part counts, even when its shape or type
 * makes it something else: it would be read as the start and run as a command.
 */
export function* exactlyOne(workflow: CheckedWorkflow, kind: 'start' | 'exit', howTo: string): Generator<Finding> {
  const found = workflow.nodes.filter((node) => node.kind === kind || kindClaimedById(node.id) === kind);
  const [first, second] = found;
  if (!first) {
    yield workflow.onGraph(`The workflow has no ${kind} node; it must have exactly one.`, {
      fix: `Add a node with ${howTo}.`,
    });
  } else if (second) {
    const ids = found.slice(0, MAX_NAMED).map(({ id }) => id);
    const more = found.length > MAX_NAMED ? ', …' : '';
    const message = `The workflow has ${found.length} ${kind} nodes (${ids.join(', ')}${more}); it must have exactly one.`;
    yield workflow.onNode(second, message);
  } else if (first.kind !== kind) {
    const message = `Node ${quote(first.id)} is the ${kind} node by its id, but its shape or type makes it ${withArticle(first.kind)} node.`;
    yield workflow.onNode(first, message, { fix: `Give it another id, and add a node with ${howTo}.` });
  }
}
