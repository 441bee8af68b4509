import { marksRead, type EventOf, type FailureDetail } from '#libs/events';
import { truncateText } from '#libs/kernel';
import { withFirstCause } from '../stage/first-cause.js';
import { failureSignature, isTracked } from '../stage/failure-signature.js';
import { held, hold } from '../state/by-name.js';
import { inherited, openStageOf } from '../state/cursors.js';
import type { GraphFacts } from '../definition/graph-facts.js';
import type { Cursor, LastReport, RunState } from '../state/state.js';
import { write, writeAll } from './written.js';

type Closing = EventOf<'stage.completed'> | EventOf<'stage.failed'>;

/** What a model is told of one note; the whole of it stands in the stage's event. */
const MAX_NOTE_BYTES = 300;

/**
 * Writes an outcome into the path it happened on. A conditional node is transparent: it records that it was visited
 * and leaves the last report to its edges.
 */
export function record(state: RunState, cursor: Cursor, event: Closing, { kindOf, tellsHistory }: GraphFacts): void {
  const { node_id = '', stage_id = '' } = event;
  const kind = kindOf(node_id);
  const report = reportOf(event);
  hold(cursor.retries, node_id, (openStageOf(cursor)?.attempt ?? 1) - 1);
  cursor.position = { at: 'outcome', node: node_id, stageId: stage_id, status: report.status };
  hold(state.outcomes, node_id, report.status);
  writeAll(cursor, event.properties.context_updates ?? {}, marksRead(event.properties));
  if (tellsHistory && kind !== 'start' && kind !== 'exit') cursor.history.push(entryOf(event, report));
  if (kind === 'conditional') return;

  cursor.last = report;
  recordFailure(state, cursor, report);
  if (report.preferredLabel !== undefined) write(cursor, 'preferred_label', report.preferredLabel);
  const signature = report.failureSignature;
  if (signature === undefined || !report.failureCategory || !isTracked(report.failureCategory)) return;
  const repeated = inherited(state, cursor, ({ signatures }) => held(signatures.failures, signature)) ?? 0;
  hold(cursor.signatures.failures, signature, repeated + 1);
}

function reportOf(event: Closing): LastReport {
  const node = event.node_id ?? '';
  if (event.event === 'stage.failed') return { node, status: 'failed', ...failureOf(node, event.properties.failure) };
  const { status, preferred_label, suggested_next_ids, failure } = event.properties;
  return {
    node,
    status,
    ...(preferred_label !== undefined && { preferredLabel: preferred_label }),
    ...(suggested_next_ids && { suggestedNextIds: suggested_next_ids }),
    ...(status === 'failed' && failure && failureOf(node, failure)),
  };
}

function failureOf(node: string, failure: FailureDetail): Partial<LastReport> {
  return {
    failureCategory: failure.category,
    failureMessage: failure.message,
    ...(failure.causes && { failureCauses: failure.causes }),
    failureSignature: failure.signature ?? failureSignature(node, failure),
  };
}

/** Failures in a row are remembered with their beginning: what ends a run is often only what the first one led to. */
function recordFailure(state: RunState, cursor: Cursor, report: LastReport): void {
  const { node, status, failureMessage: message = '', failureCauses: causes = [] } = report;
  if (status !== 'failed') {
    delete state.failures[node];
    cursor.failing = [];
    return;
  }
  hold(state.failures, node, withFirstCause({ message, causes }));
  if (!cursor.failing.includes(node)) cursor.failing.push(node);
}

function entryOf(event: Closing, { node, status, failureMessage }: LastReport): Cursor['history'][number] {
  const notes = event.event === 'stage.completed' ? event.properties.notes : undefined;
  return {
    node,
    stageId: event.stage_id ?? '',
    status,
    ...(notes !== undefined && { notes: truncateText(notes, MAX_NOTE_BYTES) }),
    ...(failureMessage !== undefined && { reason: truncateText(failureMessage, MAX_NOTE_BYTES) }),
    ...(event.properties.context_updates?.['command.output'] !== undefined && { hasOutput: true }),
  };
}
