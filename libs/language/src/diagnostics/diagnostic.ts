import { type Place } from '../source/sources.js';
import { type Range } from '../source/source-text.js';

/** An `error` keeps a workflow from running, a `warning` says it will not do what it seems to, an `info` is a hint. */
export type Severity = 'error' | 'warning' | 'info';

/** One finding about a source. `rule` is stable and public; `message` and `fix` are sentences for people. */
export interface Diagnostic {
  rule: string;
  severity: Severity;
  message: string;
  nodeId?: string;
  edge?: { from: string; to: string };
  fix?: string;
  /** The file it is about, as a path in the bundle; absent for a source that no file holds. */
  path?: string;
  range: Range;
  /** Other places that have to do with it. */
  related?: Related[];
}

export interface Related extends Place {
  message: string;
}

export function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}
