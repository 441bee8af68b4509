import { type Severity } from '../../diagnostics/diagnostic.js';
import { type Rule } from '../rule.js';

/** A rule whose findings are made where the thing is read: by a step before the graph is there. */
export function recorded(id: string, severity: Severity): Rule {
  return { id, severity, check: ({ draft }) => draft.state.found(id) };
}
