import { type Severity } from '../diagnostics/diagnostic.js';
import { type Span } from '../source/source-text.js';
import { type Workflow } from './workflow.js';

/** One thing a rule objects to. */
export interface Finding {
  message: string;
  span: Span;
  nodeId?: string;
  edge?: { from: string; to: string };
  fix?: string;
}

/** One thing that must hold for every workflow. It looks at the whole graph and never changes it. */
export interface Rule {
  /** Public and stable. */
  readonly id: string;
  readonly severity: Severity;
  check(workflow: Workflow): Iterable<Finding>;
}
