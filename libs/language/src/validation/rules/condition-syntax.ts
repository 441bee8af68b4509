import { compileCondition } from '../../conditions/compile-condition.js';
import { ConditionSyntaxError } from '../../conditions/condition-syntax-error.js';
import { refuseParentheses } from '../../conditions/refuse-parentheses.js';
import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const conditionSyntax: Rule = {
  id: 'condition_syntax',
  severity: 'error',
  *check(workflow) {
    for (const edge of workflow.edgesWith('condition')) {
      const fault = faultIn(edge.condition);
      if (!fault) continue;
      const message = `The condition on the edge ${edge.from} -> ${edge.to} does not parse: ${fault}.`;
      yield workflow.onEdge(edge, message, { attribute: 'condition' });
    }
    for (const node of workflow.nodesOf('stack.manager_loop')) {
      const fault = faultIn(node.stopCondition);
      if (!fault) continue;
      const message = `The stop condition of node ${quote(node.id)} does not parse: ${fault}.`;
      yield workflow.onNode(node, message, { attribute: 'manager.stop_condition' });
    }
  },
};

function faultIn(condition: string | undefined): string | undefined {
  try {
    if (condition === undefined) return undefined;
    compileCondition(condition);
    refuseParentheses(condition);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ConditionSyntaxError) return `${thrown.message} (at character ${thrown.offset + 1})`;
    throw thrown;
  }
}
