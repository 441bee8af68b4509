import { type Json } from '#libs/kernel';
import { type RE2JS } from 're2js';

/**
 * A compiled condition. The language has no parentheses, so every condition is flat: it holds when, in one of its
 * alternatives, all clauses hold. No alternative at all is the empty text, which always holds.
 */
export interface Condition {
  readonly text: string;
  readonly anyOf: readonly (readonly Clause[])[];
}

export interface Clause {
  readonly key: string;
  readonly negated: boolean;
  readonly test: Test;
}

export type Test =
  | { readonly is: 'truthy' }
  | { readonly is: 'equal' | 'different'; readonly text: string }
  | { readonly is: NumericComparison; readonly bound: number | undefined }
  | { readonly is: 'containing'; readonly text: string }
  | { readonly is: 'matching'; readonly pattern: RE2JS };

export type NumericComparison = 'greater' | 'less' | 'at least' | 'at most';

/** What a condition asks about: the stage that just ended, and the run's context. */
export interface ConditionScope {
  /** Status of the stage whose edges are looked at. */
  outcome: string;
  /** Empty when the stage prefers no label. */
  preferredLabel: string;
  /** The context entry with exactly this key; there is no walking into objects. */
  lookup(key: string): Json | undefined;
}
