import { anyOf, quote } from '../../diagnostics/wording.js';
import { kindOfType } from '../../graph/handler-kind.js';
import { type Rule } from '../rule.js';

const CONFLICTING: ReadonlySet<string> = new Set(['script', 'prompt']);

/** Attributes that the node's handler does not read. A script beside a prompt is an error of its own. */
export const inertAttribute: Rule = {
  id: 'inert_attribute',
  severity: 'warning',
  *check(workflow) {
    for (const node of workflow.nodes) {
      const written = workflow.written(node);
      const type = written.text('type');
      if (type !== undefined && !kindOfType.has(type)) continue;
      const conflicts = written.get('script') !== undefined && written.get('prompt') !== undefined;
      for (const { key, declaration } of written.all()) {
        if (!declaration?.readBy || declaration.readBy.includes(node.kind)) continue;
        if (conflicts && CONFLICTING.has(key)) continue;
        const message = `${key} has no effect on the ${node.kind} node ${quote(node.id)}; it is read by ${anyOf(declaration.readBy)} nodes.`;
        yield workflow.onNode(node, message, { attribute: key });
      }
    }
  },
};
