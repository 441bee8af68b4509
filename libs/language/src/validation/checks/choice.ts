import { anyOf, quote } from '../../diagnostics/wording.js';
import { type Finding } from '../../diagnostics/finding.js';
import { type CheckedWorkflow } from '../workflow.js';

/** Finds nodes whose attribute is none of the values it may have; `consequence` tells what then happens. */
export function* checkChoice(
  workflow: CheckedWorkflow,
  attribute: string,
  allowed: readonly string[],
  consequence: string,
): Generator<Finding> {
  for (const node of workflow.nodesWith(attribute)) {
    const value = workflow.written(node).text(attribute);
    if (value === undefined || allowed.includes(value)) continue;
    const message = `The ${attribute} of node ${quote(node.id)} is ${quote(value)}, which is none: ${consequence}.`;
    yield workflow.onNode(node, message, { attribute, fix: `Use ${anyOf(allowed)}.` });
  }
}
