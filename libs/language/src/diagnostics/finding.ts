import { type Span } from '../source/source-text.js';
import { type Severity } from './diagnostic.js';

/** One thing that is not as it should be: a diagnostic before its rule and its place have a name. */
export interface Finding {
  message: string;
  span: Span;
  nodeId?: string;
  edge?: { from: string; to: string };
  fix?: string;
  /** Where it differs from its rule's. */
  severity?: Severity;
  related?: RelatedFinding[];
}

/** Another place that has to do with it. */
export interface RelatedFinding {
  message: string;
  span: Span;
}
