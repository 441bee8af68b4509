import type { Json, JsonObject } from '#libs/kernel';
import type { Principal } from './principal.js';
import type {
  CommandTermination,
  ExecOutputTail,
  FailureDetail,
  OutcomeStatus,
  RunFailure,
  RunSpec,
  Timing,
  TokenBilling,
} from './shapes.js';

type Empty = Record<never, never>;

/** The properties of every event this version writes, by name. Absent means empty; nothing here is ever `null`. */
export interface Catalogue {
  // Birth, start
  'run.created': Partial<RunSpec> & {
    /** Digest of the stored {@link RunSpec}; the spec itself stands here too while it is small. */
    spec_blob: string;
    manifest_blob: string;
    title: string;
    goal: string;
    workflow: { slug: string | null; name: string | null; graph_name: string; node_count: number; edge_count: number };
    labels: Record<string, string>;
    source_directory?: string;
    git?: JsonObject;
    parent_id?: string;
    sandbox_provider: string;
    provenance: { subject: Principal };
    web_url?: string;
  };
  'run.submitted': { definition_blob: string };
  'run.start_requested': { resume: boolean };
  'run.runnable': { source: 'start_requested' | 'approved' };
  'run.starting': Empty;
  /** A worker took the run for the first time, or after another worker was lost. */
  'run.claimed': { worker_id: string; epoch: number };
  'run.started': { name: string; goal?: string };
  'run.running': Empty;
  /** Nothing is left to do until `wake_at` or an outside event: worker and slot are released. */
  'run.parked': { wake_at?: string };

  // Control, end, housekeeping
  'run.cancel.requested': { action: 'cancel' };
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
  };
  /** The stage waits for a moment (`until`) and holds no worker if that moment is far. */
  'stage.waiting': { kind: 'timer'; until: string };
  'stage.completed': {
    index: number;
    attempt: number;
    max_attempts: number;
    timing: Timing;
    status: OutcomeStatus;
    preferred_label?: string;
    suggested_next_ids?: string[];
    context_updates?: Record<string, Json>;
    failure?: FailureDetail;
    notes?: string;
  };
  'stage.failed': {
    index: number;
    failure: FailureDetail;
    will_retry: boolean;
    timing: Timing;
    context_updates?: Record<string, Json>;
  };
  'stage.retrying': { index: number; attempt: number; max_attempts: number; delay_ms: number; until: string };
  'command.started': { script: string; command: string; language: string; timeout_ms: number };
  'command.completed': {
    output: string;
    exit_code?: number;
    duration_ms: number;
    termination: CommandTermination;
    output_bytes: number;
    live_streaming: boolean;
  };

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

export type EventName = keyof Catalogue;
