import type { components, EventEnvelope } from '#libs/api-client';

export const RUN_ID = '01K2ZP6Q8V9Y3T5N7M1R4S6X8B';
const CREATED = '2026-01-02T03:04:05.000Z';

type Run = components['schemas']['Run'];

/** A run as the server shows it. */
export function aRun(id = RUN_ID, status: Run['lifecycle']['status'] = { kind: 'running' }, slug = 'review'): Run {
  return {
    id,
    parent_id: null,
    children_count: 0,
    title: 'Tighten error handling',
    goal: '',
    workflow: { slug, name: null, graph_name: 'Review', node_count: 3, edge_count: 2 },
    automation: null,
    repository: null,
    created_by: { kind: 'system', system_kind: 'engine' },
    origin: { kind: 'api' },
    labels: {},
    lifecycle: {
      status,
      approval: null,
      pending_control: null,
      queue_position: null,
      error: null,
      archived: false,
      archived_at: null,
    },
    sandbox: null,
    models: [],
    source_directory: '/project',
    timestamps: { created_at: CREATED, started_at: null, last_event_at: null, completed_at: null },
    timing: { wall_time_ms: 4_200, inference_time_ms: 0, tool_time_ms: 0, active_time_ms: 0 },
    billing: null,
    size: 'XS',
    ask_service: { available: false, unavailable_reason: 'no_sandbox', default_model: null },
    diff: null,
    pull_request: null,
    current_question: null,
    superseded_by: null,
    retried_from: null,
    links: { web: null },
  };
}

/** A question as the server shows it: a choice without options, unless told otherwise. */
export function aQuestion(
  facts: Partial<components['schemas']['ApiQuestion']> = {},
): components['schemas']['ApiQuestion'] {
  return {
    id: '01K2ZP6Q8VQQQQQQQQQQQQQQQQ',
    text: 'Ship it?',
    stage: 'approve',
    question_type: 'multiple_choice',
    options: [],
    allow_freeform: false,
    timeout_seconds: null,
    context_display: null,
    review_target: null,
    ...facts,
  };
}

/** Events of one run, numbered in their order. */
export function aLog(...events: Partial<EventEnvelope>[]): EventEnvelope[] {
  return events.map((event, index) => ({
    seq: index + 1,
    id: `event-${index + 1}`,
    ts: CREATED,
    run_id: RUN_ID,
    event: '',
    properties: {},
    ...event,
  }));
}

/** The events of a command stage, from its start to its end. */
export function aCommand(node: string, output: string, exitCode = 0): Partial<EventEnvelope>[] {
  const scope = { node_id: node, stage_id: `${node}@1` };
  const timing = { wall_time_ms: 400 };
  const failure = { message: `Script failed with exit code: ${exitCode}`, exec_output_tail: { stdout: output } };
  const end = exitCode === 0 ? { timing, status: 'succeeded' } : { timing, failure, will_retry: false };
  return [
    { event: 'stage.started', ...scope, properties: { handler_type: 'command', attempt: 1, max_attempts: 1 } },
    { event: 'command.completed', ...scope, properties: { output, exit_code: exitCode, termination: 'exited' } },
    { event: exitCode === 0 ? 'stage.completed' : 'stage.failed', ...scope, properties: end },
  ];
}
