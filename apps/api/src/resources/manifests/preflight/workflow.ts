import { missingVariables, unsupportedBy } from '#libs/engine';
import { isError, type InputValue } from '#libs/language';
import { result, type PreflightCheck } from './check.js';

const NAME = 'Workflow';

export const workflow: PreflightCheck = ({ compiled: { graph, diagnostics, faults }, handlers, settings }) => {
  if (!graph) {
    return result(NAME, 'error', `${counted(diagnostics.filter(isError).length, 'error')} in the workflow.`, {
      reasons: faults,
      remediation: 'Correct what the diagnostics say.',
    });
  }
  const missing = missingVariables(graph, settings.run.inputs as Record<string, InputValue>);
  const reasons = [...unsupportedBy(graph, handlers), ...missing];
  if (reasons.length > 0) return result(NAME, 'error', 'This server cannot execute every node.', { reasons });
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').map(({ message }) => message);
  if (warnings.length === 0) return result(NAME, 'pass', `${graph.name} has no errors and no warnings.`);
  return result(NAME, 'warning', `${counted(warnings.length, 'warning')} about the workflow.`, { reasons: warnings });
};

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
