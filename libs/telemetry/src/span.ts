export type Attributes = Record<string, string | number | boolean>;

/** A moment inside of a span. */
export interface SpanMark {
  name: string;
  atMs: number;
  attributes: Attributes;
}

/** Something of a run that took time, as the log tells it. */
export interface RunSpan {
  /** What it is, among all that is open at the same time. */
  key: string;
  /** The seq of the event that opened it. */
  seq: number;
  parent: RunSpan | null;
  name: string;
  /** Whether somebody outside was asked. */
  isCall: boolean;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  marks: SpanMark[];
  /** Runs that this one comes from. */
  linkedRuns: readonly string[];
  /** Why it failed; null when it did not. */
  error: string | null;
}
