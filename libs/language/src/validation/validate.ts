import { type Diagnostic } from '../diagnostics/diagnostic.js';
import { type SourceText } from '../source/source-text.js';
import { rules } from './rules.js';
import { type Workflow } from './workflow.js';

/** Everything the rules find, rule by rule. All of them look, whatever the others found. */
export function validate(workflow: Workflow, source: SourceText): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const rule of rules) {
    for (const { span, ...finding } of rule.check(workflow)) {
      diagnostics.push({ rule: rule.id, severity: rule.severity, ...finding, range: source.rangeOf(span) });
    }
  }
  return diagnostics;
}
