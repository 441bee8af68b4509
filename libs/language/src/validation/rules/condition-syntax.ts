import { type ConditionReader } from '../../conditions/condition-reader.js';
import { ConditionSyntaxError } from '../../conditions/condition-syntax-error.js';
import { parenthesisIn } from '../../conditions/parenthesis-in.js';
import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const conditionSyntax: Rule = {
  id: 'condition_syntax',
  severity: 'error',
  *check(workflow) {
    const { conditions } = workflow.draft.state;
    for (const edge of workflow.edgesWith('condition')) {
      const fault = faultIn(edge.condition, conditions);
      if (!fault) continue;
      const message = `The condition on the edge ${edge.from} -> ${edge.to} does not parse: ${fault}.`;
      yield workflow.onEdge(edge, message, { attribute: 'condition' });
    }
    for (const node of workflow.nodesOf('stack.manager_loop')) {
      const fault = faultIn(node.stopCondition, conditions);
      if (!fault) continue;
      const message = `The stop condition of node ${quote(node.id)} does not parse: ${fault}.`;
      yield workflow.onNode(node, message, { attribute: 'manager.stop_condition' });
    }
  },
};

function faultIn(condition: string | undefined, conditions: ConditionReader): string | undefined {
  if (condition === undefined) return undefined;
  const read = conditions.read(condition);
  const fault = read instanceof ConditionSyntaxError ? read : parenthesisIn(condition);
  return fault && `${fault.message} (at character ${fault.offset + 1})`;
}
