import { type Diagnostic } from '../diagnostics/diagnostic.js';
import { graphSize } from './rules/graph-size.js';
import { rules } from './rules.js';
import { type CheckedWorkflow } from './workflow.js';

/**
 * What the rules find, rule by rule, as far as it is reported. All of them look, whatever the others found; but of a graph
 * that outgrew its bounds only a part is there, and nothing else is said about it.
 */
export function validate(workflow: CheckedWorkflow): Diagnostic[] {
  const { state } = workflow.draft;
  const { sources, outgrown } = state;
  const diagnostics: Diagnostic[] = [];
  for (const rule of outgrown ? [graphSize] : rules) {
    for (const { span, related, ...finding } of rule.check(workflow)) {
      if (!state.mayReport(rule.id)) continue;
      diagnostics.push({
        rule: rule.id,
        severity: rule.severity,
        ...finding,
        ...sources.placeOf(span),
        ...(related && {
          related: related.map(({ message, span }) => ({ message, ...sources.placeOf(span) })),
        }),
      });
    }
  }
  return diagnostics;
}
