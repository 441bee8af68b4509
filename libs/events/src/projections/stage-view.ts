import { isKnown } from '../codec.js';
import type { EventEnvelope } from '../envelope.js';
import type { ModelReference, OutcomeStatus, Timing, TokenBilling } from '../shapes.js';
import { addTiming, NO_TIME, NO_TOKENS, withCall } from './billing.js';

export type StageStatus = 'pending' | 'running' | 'retrying' | OutcomeStatus | 'cancelled';

/** One execution of a node. Retries inside it, and a worker that takes it over, go on in the same view. */
export interface StageView {
  id: string;
  /** The seq of the first event about it: the order of the list. */
  first_seq: number;
  name: string;
  node_id: string;
  handler: string;
  status: StageStatus;
  visit: number;
  graph_visit: number;
  /** The stage that a resume executes again here. */
  resumed_from_stage_id: string | null;
  /** The innermost branch it is in, and the stage that forked; null outside of branches. */
  branch: { group_id: string; index: number } | null;
  started_at: string;
  ended_at: string | null;
  timing: Timing;
  billing: TokenBilling;
  /** The model that was asked last; null where none was. */
  model: ModelReference | null;
}

/** Start and exit bound the walk: they are stages, but they carry no work and no bill. */
export function isBoundary(stage: StageView): boolean {
  return stage.handler === 'start' || stage.handler === 'exit';
}

/**
 * Folds one event into the stages it is about: returns the changed views only. `find` gives a stage by id; `open` gives
 * those that have not ended, which the end of the run closes.
 */
export function applyToStageViews(
  envelope: EventEnvelope,
  find: (stageId: string) => StageView | undefined,
  open: () => Iterable<StageView>,
): StageView[] {
  if (!isKnown(envelope)) return [];
  const stage = envelope.stage_id === undefined ? undefined : find(envelope.stage_id);
  switch (envelope.event) {
    case 'stage.started': {
      if (stage) return stage.ended_at === null ? [{ ...stage, status: 'running' }] : [];
      const { node_id = '', node_label, stage_id = '', seq, ts, properties } = envelope;
      return [
        {
          id: stage_id,
          first_seq: seq,
          name: node_label ?? node_id,
          node_id,
          handler: properties.handler_type,
          status: 'running',
          visit: numberAfter('@', stage_id),
          graph_visit: properties.graph_visit,
          resumed_from_stage_id: properties.resumed_from_stage_id ?? null,
          branch: branchOf(envelope),
          started_at: ts,
          ended_at: null,
          timing: NO_TIME,
          billing: NO_TOKENS,
          model: null,
        },
      ];
    }
    case 'stage.prompt': {
      const { provider, model } = envelope.properties;
      return stage && stage.ended_at === null ? [{ ...stage, model: { provider, model_id: model } }] : [];
    }
    case 'agent.message':
    case 'prompt.completed':
      return stage && stage.ended_at === null ? [{ ...stage, billing: withCall(stage.billing, envelope) }] : [];
    case 'stage.retrying':
      return stage && stage.ended_at === null ? [{ ...stage, status: 'retrying' }] : [];
    case 'stage.completed':
      if (!stage || stage.ended_at !== null) return [];
      return [closed(stage, envelope.ts, envelope.properties.status, envelope.properties.timing)];
    case 'stage.failed': {
      const { failure, timing, will_retry } = envelope.properties;
      if (!stage || stage.ended_at !== null) return [];
      if (will_retry) return [{ ...stage, status: 'retrying', timing: addTiming(stage.timing, timing) }];
      return [closed(stage, envelope.ts, failure.category === 'canceled' ? 'cancelled' : 'failed', timing)];
    }
    case 'run.failed': {
      const status = envelope.properties.failure.reason === 'cancelled' ? 'cancelled' : 'failed';
      return [...open()].map((left) => closed(left, envelope.ts, status, NO_TIME));
    }
    default:
      return [];
  }
}

/** The ids say it: `<node>@<execution>` for a stage, `<fork>@<execution>:<index>` for a branch. */
function branchOf({ parallel_group_id, parallel_branch_id }: EventEnvelope): StageView['branch'] {
  if (parallel_group_id === undefined || parallel_branch_id === undefined) return null;
  return { group_id: parallel_group_id, index: numberAfter(':', parallel_branch_id) };
}

function numberAfter(mark: string, id: string): number {
  return Number(id.slice(id.lastIndexOf(mark) + 1));
}

function closed(stage: StageView, ts: string, status: StageStatus, timing: Timing): StageView {
  const total = addTiming(stage.timing, timing);
  const wall_time_ms = Math.max(0, Date.parse(ts) - Date.parse(stage.started_at));
  return { ...stage, status, ended_at: ts, timing: { ...total, wall_time_ms } };
}

/** A stage's wall time at a moment: that of an open stage runs on. */
export function stageWallTimeAt(stage: StageView, nowMs: number): number {
  return stage.ended_at === null ? Math.max(0, nowMs - Date.parse(stage.started_at)) : stage.timing.wall_time_ms;
}
