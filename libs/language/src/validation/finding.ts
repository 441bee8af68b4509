import { type Span } from '../source/source-text.js';

/** One thing a rule objects to. */
export interface Finding {
  message: string;
  span: Span;
  nodeId?: string;
  edge?: { from: string; to: string };
  fix?: string;
}
