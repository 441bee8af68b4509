import type { TextDelta } from '#libs/api-client';
import { assertNever } from '#libs/kernel';
import { oneLine } from '../terminal/format.js';
import { endOfCommand } from './command-end.js';
import type { SeenEvent } from './seen-event.js';

/** A stage that is being executed. */
export interface ShownStage {
  /** The node; of a `for_each`, with its item: `count[README.md]`. */
  name: string;
  node: string;
  handler: string;
  startedAtMs: number;
  /** Its first attempt began then; absent while there is no other. */
  firstStartedAtMs?: number;
  /** How its command ended when that was not well. */
  fault?: string;
  /** About it: what its command said last or its model answered, or how it ended. */
  detail: string;
  /** Why its last attempt failed, while another one is due. */
  failure?: string;
  /** What it asks people, until somebody answers. */
  question?: string;
  /** The end of what its model has said so far in this answer, or its command has printed. */
  saying?: string;
  /** When it goes on, while it waits. */
  untilMs?: number;
}

/** What is known about a run from the events so far. A fold: the same events always give the same progress. */
export interface Progress {
  /** What the run does while no stage is open. */
  phase: string;
  open: ReadonlyMap<string, ShownStage>;
  /** The conditional node that was passed just now; the edge it chose is its result. */
  decided?: string;
  /** The labels of items, by the branches that are at work on them. */
  items: ReadonlyMap<string, string>;
  /** Whether a stage of this run, not one that was copied, failed for good. */
  hasFailedStage: boolean;
  end?: 'succeeded' | 'failed' | 'cancelled';
}

export const atFirst: Progress = { phase: 'created', open: new Map(), items: new Map(), hasFailedStage: false };

/** More than a terminal shows in a line. */
const SAYING_CHARACTERS = 500;

/** What a row shows of the label of an item. */
const ITEM_CHARACTERS = 24;

export function advance(progress: Progress, event: SeenEvent): Progress {
  const stageId = event.stage_id ?? '';
  const stage = progress.open.get(stageId);
  switch (event.event) {
    case 'run.created':
    case 'run.start_requested':
    case 'run.notice':
    case 'run.claimed':
    case 'sandbox.failed':
    case 'hook.completed':
    case 'hook.failed':
    case 'watchdog.timeout':
      return progress;
    case 'run.runnable':
      return { ...progress, phase: 'waiting for a slot' };
    case 'run.starting':
    case 'run.running':
      return { ...progress, phase: 'starting' };
    case 'run.parked':
      return { ...progress, phase: 'parked' };
    case 'run.pause.requested':
      return { ...progress, phase: 'pausing' };
    case 'run.paused':
      return { ...progress, phase: 'paused' };
    case 'run.unpaused':
      return { ...progress, phase: 'running' };
    case 'run.cancel.requested':
      return { ...progress, phase: 'cancelling' };
    case 'run.completed':
      return { ...progress, open: new Map(), end: 'succeeded' };
    case 'run.failed':
      return {
        ...progress,
        open: new Map(),
        end: event.properties.failure.reason === 'cancelled' ? 'cancelled' : 'failed',
      };
    case 'parallel.branch.started': {
      const { item_label: label } = event.properties;
      if (label === undefined) return progress;
      return { ...progress, items: new Map(progress.items).set(event.parallel_branch_id ?? '', label) };
    }
    case 'parallel.branch.completed': {
      const items = new Map(progress.items);
      items.delete(event.parallel_branch_id ?? '');
      return { ...progress, items };
    }
    case 'stage.started': {
      const { handler_type: handler } = event.properties;
      const node = event.node_id ?? stageId;
      const item = progress.items.get(event.parallel_branch_id ?? '');
      const name = item === undefined ? node : `${node}[${oneLine(item, ITEM_CHARACTERS)}]`;
      const opened = { name, node, handler, startedAtMs: Date.parse(event.ts), detail: '' };
      const first = stage && { firstStartedAtMs: stage.firstStartedAtMs ?? stage.startedAtMs };
      return withStage({ ...progress, phase: 'running' }, stageId, { ...opened, ...first });
    }
    case 'stage.waiting':
      return withStage(progress, stageId, stage && { ...stage, untilMs: Date.parse(event.properties.until) });
    case 'command.completed':
      return withStage(progress, stageId, stage && { ...stage, ...endOfCommand(event.properties) });
    case 'prompt.completed':
      return withStage(progress, stageId, stage && { ...stage, detail: event.properties.response ?? '' });
    case 'agent.message':
      return withStage(progress, stageId, stage && { ...stage, detail: event.properties.text ?? '' });
    case 'interview.started':
      return withStage(progress, stageId, stage && { ...stage, question: event.properties.question });
    case 'interview.completed':
      return withStage(progress, stageId, stage && answered(stage, event.properties.answer));
    case 'interview.timeout':
      return withStage(progress, stageId, stage && answered(stage, 'nobody answered in time'));
    case 'interview.interrupted':
      return withStage(progress, stageId, stage && answered(stage, event.properties.reason));
    case 'stage.failed': {
      const { will_retry, failure } = event.properties;
      if (!will_retry) {
        const hasFailedStage = progress.hasFailedStage || event.origin === undefined;
        return withStage({ ...progress, hasFailedStage }, stageId, undefined);
      }
      return withStage(progress, stageId, stage && { ...silent(stage), failure: failure.message });
    }
    case 'stage.retrying':
      return progress;
    case 'stage.completed': {
      const closed = withStage(progress, stageId, undefined);
      return stage?.handler === 'conditional' ? { ...closed, decided: stage.node } : closed;
    }
    case 'edge.selected': {
      const { decided: _, ...rest } = progress;
      return rest;
    }
    default:
      return assertNever(event);
  }
}

/** What a model says or a command prints while it does. A piece that was missed leaves no trace. */
export function hear(progress: Progress, { stage_id, properties: { offset, delta } }: TextDelta): Progress {
  const stage = progress.open.get(stage_id);
  if (!stage) return progress;
  const said = offset === 0 ? '' : (stage.saying ?? '');
  return withStage(progress, stage_id, { ...stage, saying: `${said}${delta}`.slice(-SAYING_CHARACTERS) });
}

function withStage(progress: Progress, id: string, stage: ShownStage | undefined): Progress {
  const open = new Map(progress.open);
  if (stage) open.set(id, stage);
  else open.delete(id);
  return { ...progress, open };
}

function silent({ saying: _, ...stage }: ShownStage): ShownStage {
  return stage;
}

function answered({ question: _, ...stage }: ShownStage, detail: string): ShownStage {
  return { ...stage, detail };
}
