import type { EventEnvelope } from '#libs/api-client';

interface Timing {
  wall_time_ms: number;
}

/** What a run took, as its last event says. */
export interface RunMeasures {
  timing: Timing;
  billing?: { total_usd_micros?: number | null };
}

interface Failure {
  message: string;
  causes?: string[];
  exec_output_tail?: { stdout?: string };
}

/** The events that are shown by themselves, with the properties that are read. Any other has just a name and a place. */
export interface SeenProperties {
  'run.created': { title: string; workflow: { slug: string | null; graph_name: string } };
  'run.runnable': object;
  'run.starting': object;
  'run.running': object;
  'run.claimed': { epoch: number };
  'run.parked': { wake_at?: string };
  'run.start_requested': { resume: boolean };
  'run.pause.requested': object;
  'run.paused': object;
  'run.unpaused': object;
  'run.notice': { level: 'info' | 'warn' | 'error'; message: string };
  'run.cancel.requested': object;
  'run.completed': RunMeasures & { reason: string };
  'run.failed': RunMeasures & { failure: { reason: string; detail: Failure } };
  'sandbox.failed': { provider: string; error: string };
  'stage.started': { handler_type: string; attempt: number; max_attempts: number };
  'stage.waiting': { until: string };
  'parallel.branch.started': { item_label?: string };
  'parallel.branch.completed': object;
  'stage.completed': { timing: Timing; status: string; notes?: string };
  'stage.failed': { timing: Timing; failure: Failure; will_retry: boolean; no_retry_reason?: string };
  'stage.retrying': { attempt: number; max_attempts: number; delay_ms: number };
  'prompt.completed': { response?: string };
  'agent.message': { text?: string };
  'command.completed': { output: string; exit_code?: number; termination: string; output_bytes?: number };
  'interview.started': { question_id: string; question: string };
  'interview.completed': { question_id: string; answer: string };
  'interview.timeout': { question_id: string };
  'interview.interrupted': { question_id: string; reason: string };
  'edge.selected': { from_node: string; to_node: string; reason: string; condition?: string; label?: string };
  'hook.completed': { hook_name: string; point: string; decision: string; reason?: string };
  'hook.failed': { hook_name: string; point: string; decision: string; error: string };
  'watchdog.timeout': { idle_seconds: number };
}

type Seen = keyof SeenProperties;

/** An event by its name, with its properties. */
export type SeenEvent = {
  [Name in Seen]: Omit<EventEnvelope, 'event' | 'properties'> & { event: Name; properties: SeenProperties[Name] };
}[Seen];

const seen: Readonly<Record<Seen, true>> = {
  'run.created': true,
  'run.runnable': true,
  'run.starting': true,
  'run.running': true,
  'run.claimed': true,
  'run.parked': true,
  'run.start_requested': true,
  'run.pause.requested': true,
  'run.paused': true,
  'run.unpaused': true,
  'run.notice': true,
  'run.cancel.requested': true,
  'run.completed': true,
  'run.failed': true,
  'sandbox.failed': true,
  'stage.started': true,
  'stage.waiting': true,
  'parallel.branch.started': true,
  'parallel.branch.completed': true,
  'stage.completed': true,
  'stage.failed': true,
  'stage.retrying': true,
  'prompt.completed': true,
  'agent.message': true,
  'command.completed': true,
  'interview.started': true,
  'interview.completed': true,
  'interview.timeout': true,
  'interview.interrupted': true,
  'edge.selected': true,
  'hook.completed': true,
  'hook.failed': true,
  'watchdog.timeout': true,
};

/** The event with its properties typed, or undefined when this display does not know it. */
export function seenEvent(envelope: EventEnvelope): SeenEvent | undefined {
  return Object.hasOwn(seen, envelope.event) ? (envelope as unknown as SeenEvent) : undefined;
}
