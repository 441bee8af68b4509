import { messageOf } from '#libs/kernel';
import { quote } from '../../diagnostics/wording.js';
import { isTemplate } from '../../templates/jinja/template-text.js';
import { type Rule } from '../rule.js';

const LINE = /^simulate:[ \t]*(\{.*)$/m;

/** What a prompt tells the simulated model with a JSON object, on the one line it reads. Other texts are the answer itself. */
export const simulateJson: Rule = {
  id: 'simulate_json',
  severity: 'warning',
  *check(workflow) {
    for (const node of workflow.nodesWith('prompt')) {
      const object = LINE.exec(workflow.written(node).text('prompt') ?? '')?.[1];
      const fault = object === undefined || isTemplate(object) ? undefined : faultIn(object);
      if (fault === undefined) continue;
      const message = `The line "simulate: …" in the prompt of node ${quote(node.id)} is not valid JSON: ${fault}.`;
      yield workflow.onNode(node, message, {
        attribute: 'prompt',
        fix: 'Write the whole object on one line; a line break in one of its texts is \\\\n in a quoted prompt, \\n in a file.',
      });
    }
  },
};

function faultIn(object: string): string | undefined {
  try {
    JSON.parse(object);
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
