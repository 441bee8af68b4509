import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

/** A reference that is still there when the rules look was resolved by nobody; its text must not reach a model. */
export const unresolvedFileRef: Rule = {
  id: 'unresolved_file_ref',
  severity: 'error',
  *check(workflow) {
    const { goal } = workflow.graph.attributes;
    if (isReference(goal)) {
      yield workflow.onGraph(`The goal refers to the file ${quote(goal)}, which is not resolved here.`, {
        attribute: 'goal',
        fix: 'Write the text itself.',
      });
    }
    for (const node of workflow.nodes) {
      for (const attribute of ['prompt', 'output_schema']) {
        const text = workflow.written(node).text(attribute) ?? '';
        if (!isReference(text)) continue;
        const message = `The ${attribute} of node ${quote(node.id)} refers to the file ${quote(text)}, which is not resolved here.`;
        yield workflow.onNode(node, message, { attribute, fix: 'Write the text itself.' });
      }
    }
  },
};

function isReference(text: string): boolean {
  return text.trimStart().startsWith('@');
}
