import type { Json, JsonObject } from '#libs/kernel';
import type { Principal } from './principal.js';
import type {
  BranchResult,
  CommandTermination,
  ExecOutputTail,
  FailureDetail,
  KeptMarks,
  ModelReference,
  OutcomeStatus,
  Question,
  QuestionAnswer,
  RunFailure,
  RunSpec,
  Timing,
  TokenBilling,
} from './shapes.js';

type Empty = Record<never, never>;

interface AskedHook {
  hook_name: string;
  point: string;
  kind: 'command' | 'http';
}

interface HookDecision {
  decision: 'proceed' | 'skip' | 'block' | 'override';
  reason?: string;
  duration_ms: number;
  exit_code?: number;
}

/** A text that may be large: then only its beginning stands here, with the bytes of the whole and where that is kept. */
type Text<Name extends string> = Record<Name, string> &
  Partial<Record<`${Name}_bytes`, number>> &
  Partial<Record<`${Name}_blob`, string>>;

/**
 * What a stage wrote into the context. A text is a reference to a kept value only where `kept` says so; where nothing that
 * was written looks like one, `kept` is absent.
 */
interface Written {
  context_updates?: Record<string, Json>;
  kept?: KeptMarks;
}

/** The properties of every event this version writes, by name. Absent means empty; nothing here is ever `null`. */
export interface EventCatalogue {
  // Birth, start
  'run.created': Partial<RunSpec> & {
    /** Digest of the stored {@link RunSpec}; the spec itself stands here too while it is small. */
    spec_blob: string;
    manifest_blob: string;
    title: string;
    /** Of a very large one the beginning; the spec has the whole. */
    goal: string;
    /** How large the whole goal is; present where only its beginning stands here. */
    goal_bytes?: number;
    workflow: { slug: string | null; name: string | null; graph_name: string; node_count: number; edge_count: number };
    labels: Record<string, string>;
    source_directory?: string;
    git?: JsonObject;
    parent_id?: string;
    /** The run of which this one is a retry. */
    retried_from?: string;
    /** The checkpoint from which this one goes on. */
    fork_source_ref?: { source_run_id: string; checkpoint_seq: number; checkpoint_ordinal: number };
    sandbox_provider: string;
    provenance: { subject: Principal };
    web_url?: string;
  };
  /** Values that a person put into the context of a fork before it goes on. */
  'context.edited': { values: Record<string, Json> };
  'run.submitted': { definition_blob: string };
  'run.start_requested': { resume: boolean };
  /** The run waits for a person's consent before it is executed. */
  'run.pending': { reason: 'approval_required' };
  'run.approved': Empty;
  'run.denied': { reason?: string };
  'run.runnable': { source: 'start_requested' | 'approved' };
  'run.starting': Empty;
  /** A worker took the run for the first time, or after another worker was lost. */
  'run.claimed': { worker_id: string; epoch: number };
  'run.started': { name: string; goal?: string; goal_bytes?: number };
  'run.running': Empty;
  /** Nothing is left to do until `wake_at` or an outside event: worker and slot are released. */
  'run.parked': { wake_at?: string };

  // Control, end, housekeeping
  'run.cancel.requested': { action: 'cancel' };
  'run.pause.requested': { action: 'pause' };
  'run.unpause.requested': { action: 'unpause' };
  'run.paused': Empty;
  'run.unpaused': Empty;
  /** The first open question appeared. */
  'run.blocked': { blocked_reason: 'human_input_required' };
  /** The last open question is closed. */
  'run.unblocked': Empty;
  'run.notice': { level: 'info' | 'warn' | 'error'; code: string; message: string; exec_output_tail?: ExecOutputTail };
  'run.completed': {
    timing: Timing;
    artifact_count: number;
    status: OutcomeStatus;
    reason: 'completed' | 'partial_success';
    billing?: TokenBilling;
  };
  'run.failed': { failure: RunFailure; timing: Timing; billing?: TokenBilling };
  'run.removing': Empty;
  'run.title.updated': { title: string };
  'run.archived': Empty;
  'run.unarchived': Empty;
  'run.parent.linked': { parent_id: string; previous_parent_id?: string };
  'run.parent.unlinked': { previous_parent_id: string };
  'run.superseded_by': {
    new_run_id: string;
    target_checkpoint_ordinal: number;
    target_node_id: string;
    target_visit: number;
  };

  // Sandbox
  'sandbox.initializing': { provider: string };
  'sandbox.ready': { provider: string; duration_ms: number };
  'sandbox.initialized': { working_directory: string; provider: string; id: string; image?: string };
  'sandbox.failed': { provider: string; error: string; causes: string[]; duration_ms: number };

  // Stages
  'stage.started': {
    index: number;
    handler_type: string;
    attempt: number;
    max_attempts: number;
    graph_visit: number;
    attempt_id: string;
    epoch: number;
    /** The stage that a resume executes again. */
    resumed_from_stage_id?: string;
  };
  /**
   * The stage waits for a moment (`until`) and holds no worker if that moment is far: the end of a wait, or the next
   * look of a manager at its child.
   */
  'stage.waiting': { kind: 'timer' | 'poll'; until: string; cycle?: number };
  'stage.completed': Written & {
    index: number;
    attempt: number;
    max_attempts: number;
    timing: Timing;
    status: OutcomeStatus;
    preferred_label?: string;
    suggested_next_ids?: string[];
    failure?: FailureDetail;
    notes?: string;
    /** All model calls of this attempt. */
    billing?: TokenBilling;
    files_touched?: string[];
  };
  'stage.failed': Written & {
    index: number;
    failure: FailureDetail;
    will_retry: boolean;
    /** Why no other attempt follows, although the stage has some left. */
    no_retry_reason?: string;
    timing: Timing;
    billing?: TokenBilling;
  };
  'stage.retrying': { index: number; attempt: number; max_attempts: number; delay_ms: number; until: string };
  'command.started': Text<'script'> & { command: string; language: string; timeout_ms: number };
  'command.completed': {
    output: string;
    exit_code?: number;
    duration_ms: number;
    termination: CommandTermination;
    output_bytes: number;
    /** Whether followers could see the output while it was printed. */
    live_streaming: boolean;
  };

  // Models
  'stage.prompt': Text<'text'> & { visit: number; mode: 'agent' | 'prompt'; provider: string; model: string };
  'prompt.completed': Text<'response'> & { model: string; provider: string; billing: TokenBilling };
  'agent.session.activated': { visit: number; thread_id?: string; provider: string; model: string };
  'agent.session.deactivated': { visit: number };
  'agent.llm.started': { visit: number; requested_model: ModelReference };
  'agent.llm.first_output': { visit: number; kind: 'text' };
  'agent.message': Text<'text'> & {
    visit: number;
    model: ModelReference;
    billing: TokenBilling;
    tool_call_count: number;
  };

  // Branches, sub-workflows
  'parallel.started': { visit: number; branch_count: number };
  /** A branch got one of the fork's slots. Its events carry its id; its first stage follows. */
  'parallel.branch.started': { index: number; item_label?: string };
  /** `failure` says why the branch failed, where none of its stages does. */
  'parallel.branch.completed': {
    index: number;
    item_label?: string;
    duration_ms: number;
    status: OutcomeStatus;
    failure?: FailureDetail;
  };
  /** All branches ended. Whatever each wrote stands in the context under `parallel.results`. */
  'parallel.completed': {
    visit: number;
    duration_ms: number;
    success_count: number;
    failure_count: number;
    results?: BranchResult[];
  };
  'subgraph.started': { start_node: string };
  'subgraph.completed': { steps_executed: number; status: OutcomeStatus; duration_ms: number; failure?: FailureDetail };

  // Questions. Exactly one of the last three follows each that was asked.
  'interview.started': Question;
  'interview.completed': {
    question_id: string;
    question: string;
    answer: string;
    given: QuestionAnswer;
    duration_ms: number;
  };
  'interview.timeout': { question_id: string; question: string; stage: string; duration_ms: number };
  'interview.interrupted': {
    question_id: string;
    question: string;
    stage: string;
    reason: string;
    duration_ms: number;
  };

  // Hooks: asked one after another, at one moment of the run (`point`)
  'hook.started': AskedHook;
  'hook.completed': AskedHook & HookDecision;
  /** The hook itself did not work; the decision is what stands for that. */
  'hook.failed': AskedHook & HookDecision & { error: string; exec_output_tail?: ExecOutputTail };

  // Routing, checkpoints, watchdog
  'edge.selected': {
    from_node: string;
    to_node: string;
    reason: 'condition' | 'preferred_label' | 'suggested_next' | 'unconditional' | 'jump' | 'retry_target';
    stage_status: OutcomeStatus;
    is_jump: boolean;
    label?: string;
    condition?: string;
    preferred_label?: string;
    suggested_next_ids?: string[];
  };
  'loop.restart': { from_node: string; to_node: string };
  /** A delta: what this stage changed. The full state is the fold of all of them. */
  'checkpoint.completed': {
    ordinal: number;
    status: OutcomeStatus;
    current_node: string;
    graph_visit: number;
    next_node_id?: string;
  };
  'watchdog.timeout': { idle_seconds: number };
}

export type EventName = keyof EventCatalogue;
