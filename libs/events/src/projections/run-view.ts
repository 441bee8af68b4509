import { isKnown } from '../codec.js';
import type { EventEnvelope, EventOf } from '../envelope.js';
import type { Principal } from '../principal.js';
import { statusAfter, type RunStatus } from '../run-status.js';
import type { ModelReference, Timing, TokenBilling } from '../shapes.js';
import { addTiming, NO_TIME, withCall } from './billing.js';

/** What the log says about a run as a whole; the parts that other runs or the clock decide are added on read. */
export interface RunView {
  id: string;
  title: string;
  goal: string;
  parent_id: string | null;
  workflow: { slug: string | null; name: string | null; graph_name: string; node_count: number; edge_count: number };
  git: { origin_url: string; branch: string; sha?: string | null } | null;
  created_by: Principal;
  labels: Record<string, string>;
  source_directory: string | null;
  web_url: string | null;
  status: RunStatus;
  pending_control: 'cancel' | 'pause' | 'unpause' | null;
  error: { message: string } | null;
  sandbox: SandboxView;
  timestamps: {
    created_at: string;
    started_at: string | null;
    last_event_at: string;
    completed_at: string | null;
  };
  /** Sum over the stages that ended; wall time is filled when the run ends. */
  timing: Timing;
  billing: TokenBilling | null;
  /** A person's consent, for runs that needed it. */
  approval: ApprovalView | null;
  /** The questions that wait for an answer, the oldest first. */
  questions: { id: string; text: string }[];
  /** The models that were asked, by provider and name. */
  models: ModelReference[];
  archived_at: string | null;
  /** The run that this one tries again. */
  retried_from: string | null;
  /** The run that replaced this one by rewinding. */
  superseded_by: string | null;
}

export interface ApprovalView {
  state: 'pending' | 'approved' | 'denied';
  requested_at: string;
  decided_at: string | null;
  denial_reason: string | null;
}

export type SandboxView =
  | { kind: 'planned' | 'initializing'; plan: SandboxPlan }
  | { kind: 'ready'; plan: SandboxPlan; instance: { id: string; working_directory: string; image: string | null } }
  | {
      kind: 'failed';
      plan: SandboxPlan;
      failure: { provider: string; error: string; causes: string[]; duration_ms: number };
    };

interface SandboxPlan {
  provider: string;
}

/** The view that `run.created` begins. */
export function beginRunView(envelope: EventEnvelope): RunView {
  if (!isKnown(envelope) || envelope.event !== 'run.created') {
    throw new TypeError(`The log of run ${envelope.run_id} begins with ${envelope.event}, not with run.created.`);
  }
  const { properties, ts } = envelope;
  return {
    id: envelope.run_id,
    title: properties.title,
    goal: properties.goal,
    parent_id: properties.parent_id ?? null,
    workflow: properties.workflow,
    git: (properties.git as RunView['git'] | undefined) ?? null,
    created_by: properties.provenance.subject,
    labels: properties.labels,
    source_directory: properties.source_directory ?? null,
    web_url: properties.web_url ?? null,
    status: { kind: 'submitted' },
    pending_control: null,
    error: null,
    sandbox: { kind: 'planned', plan: { provider: properties.sandbox_provider } },
    timestamps: { created_at: ts, started_at: null, last_event_at: ts, completed_at: null },
    timing: NO_TIME,
    billing: null,
    approval: null,
    questions: [],
    models: [],
    archived_at: null,
    retried_from: properties.retried_from ?? null,
    superseded_by: null,
  };
}

/** Folds one event into the view. An event it does not know, or a move the table forbids, changes nothing but `last_event_at`. */
export function applyToRunView(view: RunView, envelope: EventEnvelope): RunView {
  const timestamps = { ...view.timestamps, last_event_at: envelope.ts };
  if (!isKnown(envelope) || envelope.origin) return { ...view, timestamps };
  const seen: RunView = { ...view, timestamps, status: statusAfter(view.status, envelope) };
  switch (envelope.event) {
    case 'run.submitted':
      return again(seen);
    case 'run.pending':
      return {
        ...seen,
        approval: { state: 'pending', requested_at: envelope.ts, decided_at: null, denial_reason: null },
      };
    case 'run.approved':
    case 'run.denied':
      return { ...seen, approval: seen.approval && decided(seen.approval, envelope) };
    case 'run.started':
      return { ...seen, timestamps: { ...seen.timestamps, started_at: seen.timestamps.started_at ?? envelope.ts } };
    case 'run.cancel.requested':
      return { ...seen, pending_control: 'cancel' };
    case 'run.pause.requested':
      return { ...seen, pending_control: 'pause' };
    case 'run.unpause.requested':
      return { ...seen, pending_control: 'unpause' };
    case 'run.paused':
    case 'run.unpaused':
      return { ...seen, pending_control: null };
    case 'interview.started': {
      const { question_id: id, question: text } = envelope.properties;
      return { ...seen, questions: [...seen.questions, { id, text }] };
    }
    case 'interview.completed':
    case 'interview.timeout':
    case 'interview.interrupted': {
      const { question_id } = envelope.properties;
      return { ...seen, questions: seen.questions.filter(({ id }) => id !== question_id) };
    }
    case 'run.title.updated':
      return { ...seen, title: envelope.properties.title };
    case 'run.parent.linked':
      return { ...seen, parent_id: envelope.properties.parent_id };
    case 'run.parent.unlinked':
      return { ...seen, parent_id: null };
    case 'run.archived':
      return { ...seen, archived_at: envelope.ts };
    case 'run.unarchived':
      return { ...seen, archived_at: null };
    case 'run.superseded_by':
      return { ...seen, superseded_by: envelope.properties.new_run_id };
    case 'run.completed':
      return seen.status === view.status ? seen : ended(seen, envelope, null);
    case 'run.failed': {
      const { message } = envelope.properties.failure.detail;
      return seen.status === view.status ? seen : ended(seen, envelope, { message });
    }
    case 'sandbox.initializing':
      return { ...seen, sandbox: { kind: 'initializing', plan: seen.sandbox.plan } };
    case 'sandbox.initialized': {
      const { id, working_directory, image } = envelope.properties;
      const instance = { id, working_directory, image: image ?? null };
      return { ...seen, sandbox: { kind: 'ready', plan: seen.sandbox.plan, instance } };
    }
    case 'sandbox.failed':
      return { ...seen, sandbox: { kind: 'failed', plan: seen.sandbox.plan, failure: envelope.properties } };
    case 'stage.completed':
    case 'stage.failed':
      return { ...seen, timing: addTiming(seen.timing, { ...envelope.properties.timing, wall_time_ms: 0 }) };
    case 'agent.message':
    case 'prompt.completed':
      return { ...seen, billing: withCall(seen.billing, envelope) };
    case 'stage.prompt': {
      const { provider, model } = envelope.properties;
      const isKnownModel = seen.models.some((known) => known.provider === provider && known.model_id === model);
      return isKnownModel ? seen : { ...seen, models: [...seen.models, { provider, model_id: model }].sort(byName) };
    }
    default:
      return seen;
  }
}

function decided(approval: ApprovalView, { event, properties, ts }: Decision): ApprovalView {
  if (event === 'run.approved') return { ...approval, state: 'approved', decided_at: ts };
  return { ...approval, state: 'denied', decided_at: ts, denial_reason: properties.reason ?? null };
}

function byName(a: ModelReference, b: ModelReference): number {
  const name = ({ provider, model_id }: ModelReference): string => `${provider} ${model_id}`;
  return name(a) < name(b) ? -1 : 1;
}

/** A failed run that is resumed has not ended, after all. */
function again(view: RunView): RunView {
  return { ...view, error: null, timestamps: { ...view.timestamps, completed_at: null } };
}

type Decision = EventOf<'run.approved' | 'run.denied'> & { ts: string };
type End = EventOf<'run.completed' | 'run.failed'> & { ts: string };

/** The end of the run. One that is over already, or cannot end like this, is not ended: then nothing of it counts. */
function ended(view: RunView, { ts, properties }: End, error: RunView['error']): RunView {
  return {
    ...view,
    error,
    pending_control: null,
    questions: [],
    timing: properties.timing,
    billing: properties.billing ?? view.billing,
    timestamps: { ...view.timestamps, completed_at: ts },
  };
}

/** The run's timing at a moment: a live run's wall time runs on. */
export function timingAt(view: RunView, nowMs: number): Timing | null {
  const { started_at, completed_at } = view.timestamps;
  if (started_at === null) return completed_at === null ? null : view.timing;
  if (completed_at !== null) return view.timing;
  return { ...view.timing, wall_time_ms: Math.max(0, nowMs - Date.parse(started_at)) };
}
