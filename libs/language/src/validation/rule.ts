import { type Severity } from '../diagnostics/diagnostic.js';
import { type Finding } from '../diagnostics/finding.js';
import { type CheckedWorkflow } from './workflow.js';

/** One thing that must hold for every workflow. It looks at the whole graph and never changes it. */
export interface Rule {
  /** Public and stable. */
  readonly id: string;
  readonly severity: Severity;
  check(workflow: CheckedWorkflow): Iterable<Finding>;
}
