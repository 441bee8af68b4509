import type { Json, JsonObject } from '#libs/kernel';

/** How a stage ended, as routing sees it. */
export type OutcomeStatus = 'succeeded' | 'partially_succeeded' | 'failed' | 'skipped';

/** Durations in milliseconds; `active` is inference plus tool time. */
export interface Timing {
  wall_time_ms: number;
  inference_time_ms: number;
  tool_time_ms: number;
  active_time_ms: number;
}

export type FailureCategory =
  'transient_infra' | 'deterministic' | 'budget_exhausted' | 'compilation_loop' | 'canceled' | 'structural';

export interface ExecOutputTail {
  stdout?: string;
  stdout_truncated: boolean;
  stderr_truncated: boolean;
}

export interface FailureDetail {
  message: string;
  category: FailureCategory;
  causes?: string[];
  system_actor?: 'engine' | 'watchdog' | 'timeout';
  signature?: string;
  exec_output_tail?: ExecOutputTail;
}

export type RunFailureReason =
  | 'workflow_error'
  | 'publish_failed'
  | 'cancelled'
  | 'approval_denied'
  | 'terminated'
  | 'transient_infra'
  | 'budget_exhausted'
  | 'launch_failed'
  | 'bootstrap_failed'
  | 'sandbox_init_failed';

export interface RunFailure {
  reason: RunFailureReason;
  detail: FailureDetail;
}

/** Five disjoint token counts and their sum; a cost that nobody could price is `null`, never 0. */
export interface TokenBilling {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  reasoning_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  total_usd_micros?: number | null;
}

export type CommandTermination = 'exited' | 'timed_out' | 'cancelled';

/** The stored definition of a run: what the engine executes. */
export interface RunSpec {
  settings: JsonObject;
  graph: JsonObject;
  workflow_source: string;
}

/**
 * Where in a value a reference to a kept value stands: in place of all of it, with the bytes that it stands for (0 where
 * nobody knows), or in some of its members, by their names or places.
 */
export type KeptMark = number | KeptMarks;
export interface KeptMarks {
  [member: string]: KeptMark;
}

export interface ModelReference {
  provider: string;
  model_id: string;
}

/** How one branch of a fork ended. */
export interface BranchResult {
  /** The branch's first node. */
  id: string;
  index: number;
  item_label?: string;
  status: OutcomeStatus;
  /** What its stages wrote, as far as the event has room for it; the context has all of it. */
  context_updates?: Record<string, Json>;
}

export type QuestionType = 'yes_no' | 'confirmation' | 'multiple_choice' | 'multi_select' | 'freeform';

export interface QuestionOption {
  key: string;
  label: string;
  description?: string;
  preview?: string;
}

/** The document a question is about. */
export interface ReviewTarget {
  label: string;
  url: string;
  kind: 'document';
}

/** A question to people, as it was asked. `stage` is the node that asks. */
export interface Question {
  question_id: string;
  question: string;
  stage: string;
  question_type: QuestionType;
  options?: QuestionOption[];
  allow_freeform: boolean;
  timeout_seconds?: number;
  context_display?: string;
  review_target?: ReviewTarget;
}

/** An answer as it was given. */
export type QuestionAnswer =
  | { kind: 'yes' }
  | { kind: 'no' }
  | { kind: 'selected'; option_key: string }
  | { kind: 'multi_selected'; option_keys: string[] }
  | { kind: 'text'; text: string };
