import { anyOf, quote } from '../../diagnostics/wording.js';
import { catalogue } from '../../graph/attribute-catalogue.js';
import { type Node } from '../../graph/graph.js';
import { type Rule } from '../rule.js';
import { type CheckedWorkflow } from '../workflow.js';

const CONFLICTING: ReadonlySet<string> = new Set(['script', 'prompt']);

/** Attributes that the node's handler does not read. A script beside a prompt is an error of its own. */
export const inertAttribute: Rule = {
  id: 'inert_attribute',
  severity: 'warning',
  *check(workflow) {
    for (const [key, { readBy }] of catalogue.node) {
      if (!readBy) continue;
      for (const node of workflow.nodesWith(key)) {
        if (readBy.includes(node.kind) || !workflow.hasKnownKind(node)) continue;
        if (CONFLICTING.has(key) && conflicts(workflow, node)) continue;
        const message = `${key} has no effect on the ${node.kind} node ${quote(node.id)}; it is read by ${anyOf(readBy)} nodes.`;
        yield workflow.onNode(node, message, { attribute: key });
      }
    }
  },
};

function conflicts(workflow: CheckedWorkflow, node: Node): boolean {
  const written = workflow.written(node);
  return written.get('script') !== undefined && written.get('prompt') !== undefined;
}
