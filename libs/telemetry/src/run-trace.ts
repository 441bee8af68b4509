import { isKnown, type EventEnvelope, type EventOf } from '#libs/events';
import { closingOf, tokensOf } from './closing.js';
import type { KnownEvent } from './known-event.js';
import { modelKey, openingOf, pathKey, type SpanOpening } from './opening.js';
import type { Attributes, RunSpan } from './span.js';
import { FIRST_SPAN } from './trace-ids.js';

const ROOT = FIRST_SPAN.key;
const MAX_SENTENCE = 500;
const UNFINISHED: Attributes = { 'runyard.outcome': 'unfinished' };
const LOST = 'Its worker was lost.';

/** What is marked on the span of the run: it moves the run and takes no time of its own. */
const MARKED: ReadonlySet<string> = new Set([
  'run.runnable',
  'run.claimed',
  'run.parked',
  'run.blocked',
  'run.unblocked',
  'run.paused',
  'run.unpaused',
  'run.cancel.requested',
  'run.notice',
  'watchdog.timeout',
]);

/**
 * A log as spans: a fold, so the same log always gives the same. A resume begins anew, with a span of the run of its own:
 * what is told then is what came after it. What a fork copied is another run's doing and left out.
 */
export class RunTrace {
  private facts: Attributes = {};
  private linkedRuns: string[] = [];
  private open = new Map<string, RunSpan>();
  private ended: RunSpan[] = [];

  constructor(private readonly tenantId: string) {}

  /** What has ended, in the order of the ends; with the end of the run everything has. */
  get spans(): readonly RunSpan[] {
    return this.ended;
  }

  /** Whether the run has ended and was not resumed. */
  get isOver(): boolean {
    return this.ended.at(-1)?.key === ROOT;
  }

  hear(event: EventEnvelope): void {
    if (event.origin || !isKnown(event)) return;
    const opening = openingOf(event);
    const closing = closingOf(event);
    if (opening) this.begin(event, opening);
    else if (closing) this.end(event, closing.key, closing.attributes, closing.error);
    else if (MARKED.has(event.event)) this.mark(event);
    else this.hearRun(event);
  }

  private hearRun(event: KnownEvent): void {
    switch (event.event) {
      case 'run.created':
        this.facts = factsOf(event, this.tenantId);
        this.linkedRuns = originsOf(event);
        return this.beginRun(event);
      case 'run.start_requested':
        return this.beginRun(event);
      case 'stage.started':
        return this.beginAttempt(event);
      case 'stage.completed': {
        const { status, billing, failure } = event.properties;
        const attributes = { 'runyard.outcome': status, ...(billing && tokensOf(billing)) };
        const error = status === 'failed' ? (failure?.message ?? 'It failed.') : null;
        this.endAttempt(event, attributes, error);
        return this.end(event, stageKey(event.stage_id), attributes, error);
      }
      case 'stage.failed': {
        const { failure, will_retry, billing } = event.properties;
        const attributes = { 'error.type': failure.category, ...(billing && tokensOf(billing)) };
        this.endAttempt(event, attributes, failure.message);
        if (will_retry) return;
        return this.end(
          event,
          stageKey(event.stage_id),
          { 'runyard.outcome': 'failed', ...attributes },
          failure.message,
        );
      }
      case 'run.completed':
        return this.endRun(event, { 'runyard.outcome': event.properties.status }, null);
      case 'run.failed': {
        const { reason, detail } = event.properties.failure;
        return this.endRun(event, { 'runyard.outcome': 'failed', 'error.type': reason }, detail.message);
      }
      default:
        return;
    }
  }

  private beginRun(event: KnownEvent): void {
    this.open.clear();
    this.ended = [];
    this.begin(event, {
      key: ROOT,
      name: `run ${this.facts['runyard.workflow'] ?? ''}`.trim(),
      attributes: this.facts,
    });
    const root = this.open.get(ROOT)!;
    root.linkedRuns = this.linkedRuns;
    if (event.event === 'run.start_requested' && !event.properties.resume) root.seq = FIRST_SPAN.seq;
  }

  private beginAttempt(event: EventOf<'stage.started'> & KnownEvent): void {
    const { node_id = '', stage_id = '', properties } = event;
    const { handler_type, attempt, epoch } = properties;
    const attributes = { 'runyard.node': node_id, 'runyard.stage': stage_id, 'runyard.handler': handler_type };
    // Of what a lost worker did, commands and branches go on; the call of a model is over.
    if (this.open.has(attemptKey(stage_id))) this.end(event, modelKey(stage_id), UNFINISHED, LOST);
    this.end(event, attemptKey(stage_id), {}, LOST);
    if (!this.open.has(stageKey(stage_id))) this.begin(event, { key: stageKey(stage_id), name: node_id, attributes });
    const own = { ...attributes, 'runyard.attempt': attempt, 'runyard.epoch': epoch };
    this.begin(event, { key: attemptKey(stage_id), name: `attempt ${attempt}`, attributes: own });
  }

  /** What began inside of an attempt and has no end, a call that failed, say, ends with it and for its reason. */
  private endAttempt(event: KnownEvent, attributes: Attributes, error: string | null): void {
    const attempt = this.open.get(attemptKey(event.stage_id));
    for (const [key, span] of [...this.open].reverse()) {
      if (attempt && isInside(span, attempt)) this.end(event, key, UNFINISHED, error);
    }
    this.end(event, attemptKey(event.stage_id), attributes, error);
  }

  private begin(event: KnownEvent, { key, name, isCall = false, attributes }: SpanOpening): void {
    const startMs = Date.parse(event.ts);
    const span = { key, seq: event.seq, parent: this.around(event, key), name, isCall, startMs, endMs: startMs };
    this.open.set(key, { ...span, attributes: { ...attributes }, marks: [], linkedRuns: [], error: null });
  }

  /** The innermost span that an event is in. */
  private around(event: KnownEvent, key: string): RunSpan | null {
    if (key === ROOT) return null;
    const { stage_id, cursor_id } = event;
    const inStage = key === stageKey(stage_id) ? undefined : this.open.get(attemptKey(stage_id));
    const stage = key === attemptKey(stage_id) ? this.open.get(stageKey(stage_id)) : inStage;
    return stage ?? this.open.get(pathKey(cursor_id)) ?? this.open.get(ROOT) ?? null;
  }

  private end(event: KnownEvent, key: string, attributes: Attributes, error: string | null): void {
    const span = this.open.get(key);
    if (!span) return;
    this.open.delete(key);
    Object.assign(span.attributes, attributes);
    // The clocks of two workers need not agree.
    span.endMs = Math.max(span.startMs, Date.parse(event.ts));
    span.error = error === null ? null : sentenceOf(error);
    this.ended.push(span);
  }

  /** What is still open ends with the run, innermost first. */
  private endRun(event: KnownEvent, attributes: Attributes, error: string | null): void {
    for (const key of [...this.open.keys()].reverse()) {
      if (key !== ROOT) this.end(event, key, UNFINISHED, null);
    }
    this.end(event, ROOT, attributes, error);
  }

  private mark(event: KnownEvent): void {
    const attributes: Attributes = {};
    if (event.event === 'run.claimed') {
      const { worker_id, epoch } = event.properties;
      Object.assign(attributes, { 'runyard.worker': worker_id, 'runyard.epoch': epoch });
    }
    if (event.event === 'run.notice') attributes['runyard.notice'] = event.properties.code;
    this.open.get(ROOT)?.marks.push({ name: event.event, atMs: Date.parse(event.ts), attributes });
  }
}

function isInside({ parent }: RunSpan, outer: RunSpan): boolean {
  return parent !== null && (parent === outer || isInside(parent, outer));
}

/** Below the first line of a failure stands what a command wrote. */
function sentenceOf(failure: string): string {
  return failure.split('\n', 1)[0]!.slice(0, MAX_SENTENCE);
}

function stageKey(stageId: string | undefined): string {
  return `stage ${stageId}`;
}

function attemptKey(stageId: string | undefined): string {
  return `attempt ${stageId}`;
}

function factsOf({ run_id, properties }: EventOf<'run.created'> & KnownEvent, tenantId: string): Attributes {
  const { workflow } = properties;
  return {
    'runyard.run': run_id,
    'runyard.tenant': tenantId,
    'runyard.workflow': workflow.slug ?? workflow.graph_name,
  };
}

function originsOf({ properties }: EventOf<'run.created'>): string[] {
  const { parent_id, retried_from, fork_source_ref } = properties;
  return [parent_id, retried_from, fork_source_ref?.source_run_id].filter((id) => id !== undefined);
}
