import {
  decodeEvent,
  encodeEvent,
  NO_TOKENS,
  stamp,
  type EventEnvelope,
  type RunEvent,
  type Timing,
} from '#libs/events';

const RUN_ID = '01J0000000000000000000000A';
export const MIDNIGHT = Date.UTC(2030, 0, 1);

/** A log as readers get it: one event a second, from midnight on. */
export function aLog(...events: RunEvent[]): EventEnvelope[] {
  return events.map((event, n) => decodeEvent(n + 1, encodeEvent(RUN_ID, stamp(event, MIDNIGHT + n * 1_000)).body));
}

export function took(tool_time_ms: number, wall_time_ms = tool_time_ms): Timing {
  return { wall_time_ms, inference_time_ms: 0, tool_time_ms, active_time_ms: tool_time_ms };
}

type Created = Extract<RunEvent, { event: 'run.created' }>['properties'];

export function created(more: Partial<Created> = {}): RunEvent {
  const subject = { kind: 'system', system_kind: 'engine' } as const;
  const workflow = { slug: 'ship', name: 'Ship', graph_name: 'Ship', node_count: 3, edge_count: 2 };
  const blobs = { spec_blob: 'a'.repeat(64), manifest_blob: 'b'.repeat(64) };
  const facts = { title: 'Ship it', goal: 'Ship', workflow, labels: { team: 'x' }, sandbox_provider: 'local' };
  return { event: 'run.created', properties: { ...blobs, ...facts, provenance: { subject }, ...more } };
}

/** The events of one stage of a node. */
export function aStage(stage_id: string, handler_type = 'command') {
  const node_id = stage_id.split('@')[0]!;
  const scope = { node_id, node_label: node_id.toUpperCase(), stage_id };
  const of = <const Event extends RunEvent['event']>(event: Event) => ({ ...scope, event });
  return {
    started: (attempt = 1, epoch = 1): RunEvent => ({
      ...of('stage.started'),
      properties: {
        ...{ index: 1, handler_type, attempt, max_attempts: 3, graph_visit: 1, epoch },
        attempt_id: `${stage_id}/${attempt}/${epoch}`,
      },
    }),
    completed: (timing = took(0), status: 'succeeded' | 'partially_succeeded' | 'skipped' = 'succeeded'): RunEvent => ({
      ...of('stage.completed'),
      properties: { index: 1, attempt: 1, max_attempts: 3, timing, status },
    }),
    failed: (
      will_retry = false,
      timing = took(0),
      category: 'deterministic' | 'canceled' = 'deterministic',
    ): RunEvent => ({
      ...of('stage.failed'),
      properties: { index: 1, failure: { message: 'no', category }, will_retry, timing },
    }),
    retrying: (attempt: number): RunEvent => ({
      ...of('stage.retrying'),
      properties: { index: 1, attempt, max_attempts: 3, delay_ms: 500, until: '2030-01-01T00:01:00.000Z' },
    }),
    answered: (output_tokens: number, total_usd_micros: number | null = null): RunEvent => ({
      ...of('agent.message'),
      properties: {
        ...{ visit: 1, text: 'Done.', model: { provider: 'acme', model_id: 'wise' }, tool_call_count: 0 },
        billing: { ...NO_TOKENS, output_tokens, total_tokens: output_tokens, total_usd_micros },
      },
    }),
    waiting: (): RunEvent => ({
      ...of('stage.waiting'),
      properties: { kind: 'timer', until: '2030-01-01T00:01:00.000Z' },
    }),
  };
}

export function runFailed(reason: 'workflow_error' | 'cancelled', timing = took(0)): RunEvent {
  const category = reason === 'cancelled' ? 'canceled' : 'deterministic';
  return { event: 'run.failed', properties: { failure: { reason, detail: { message: 'No.', category } }, timing } };
}

export function runCompleted(timing = took(0)): RunEvent {
  return {
    event: 'run.completed',
    properties: { timing, artifact_count: 0, status: 'succeeded', reason: 'completed' },
  };
}
