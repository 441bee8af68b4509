import { CANCELLED } from '#libs/engine';
import type { Principal, RunEvent, StampedEvent } from '#libs/events';
import type { CommandOf } from './command.js';
import { NOTHING, statusLeft, type Change, type Decision, type Known, type Moment, type RunHead } from './decision.js';
import { ControlPendingError, NoCheckpointError } from './errors.js';
import { endOf, readable, storedWalk, walkOf } from './stored-walk.js';

const PENDING: RunEvent = { event: 'run.pending', properties: { reason: 'approval_required' } };

export function start(_: RunHead, command: CommandOf<'start'>, _known: Known, moment: Moment): Change {
  return started(command, moment);
}

/** Consent puts a run where its start would have put it. */
export function approve(_: RunHead, { actor }: CommandOf<'approve'>, _known: Known, { stamp }: Moment): Change {
  const approved = stamp({ event: 'run.approved', actor, properties: {} });
  return { events: [approved, stamp(runnable(actor, 'approved'))], slot: 'queued' };
}

export function deny(
  { runId }: RunHead,
  { actor, reason }: CommandOf<'deny'>,
  { course }: Known,
  moment: Moment,
): Decision {
  if (!course) return 'course';
  const properties = { ...(reason !== undefined && { reason }) };
  const denied = moment.stamp({ event: 'run.denied', actor, properties });
  const message = reason ?? 'A person did not approve this run.';
  const end = endOf(runId, course, moment, 'approval_denied', { message, category: 'canceled' });
  return { events: [denied, ...end], slot: 'none' };
}

/**
 * A failed run goes on from its last checkpoint, in its old place of the queue, or asks for consent to do so. One that was
 * never started begins, if it has a checkpoint: only a fork has, and it keeps that.
 */
export function resume(
  { runId, status }: RunHead,
  command: CommandOf<'resume'>,
  { course }: Known,
  moment: Moment,
): Decision {
  if (!course) return 'course';
  const stored = readable(course);
  const begins = status === 'submitted';
  if (!storedWalk(runId, stored, moment).state.resumeAt) {
    const instead = begins ? 'start it without "resume"' : 'retry it instead';
    return new NoCheckpointError(runId, `to go on from; ${instead}`);
  }
  if (begins) return started(command, moment);
  const { actor, needsConsent } = command;
  const { stamp } = moment;
  return {
    events: [
      stamp({ event: 'run.start_requested', actor, properties: { resume: true } }),
      stamp({ event: 'run.submitted', properties: { definition_blob: stored.specSha256 } }),
      stamp(needsConsent ? PENDING : runnable(actor, 'start_requested')),
    ],
    slot: needsConsent ? 'none' : 'queued',
    pendingControl: null,
  };
}

/** A run that no worker holds ends here and now; a held one is asked to, once. */
export function cancel(head: RunHead, { actor }: CommandOf<'cancel'>, { course }: Known, moment: Moment): Decision {
  const requested = moment.stamp({ event: 'run.cancel.requested', actor, properties: { action: 'cancel' } });
  if (head.slot === 'held')
    return head.pendingControl === 'cancel' ? NOTHING : { events: [requested], pendingControl: 'cancel' };
  return course ? cancelled(head, course, moment, [requested]) : 'course';
}

/** A worker that claimed the run meanwhile knows of the cancel. */
export function endUnheard(
  head: RunHead,
  { epoch }: CommandOf<'end_unheard'>,
  { course }: Known,
  moment: Moment,
): Decision {
  const isUnheard = head.slot === 'held' && head.pendingControl === 'cancel' && head.leaseEpoch === epoch;
  if (!isUnheard) return NOTHING;
  return course ? cancelled(head, course, moment, []) : 'course';
}

/** A held run is asked to; it pauses when no stage of it is at work any more. */
export function pause(head: RunHead, { actor }: CommandOf<'pause'>, { course }: Known, moment: Moment): Decision {
  if (head.pendingControl !== null) return new ControlPendingError(head.runId, head.pendingControl);
  const requested = moment.stamp({ event: 'run.pause.requested', actor, properties: { action: 'pause' } });
  if (head.slot === 'held') return { events: [requested], pendingControl: 'pause' };
  if (!course) return 'course';
  const walk = walkOf(head.runId, course, moment);
  walk.hear(requested);
  const { events, wakeAt } = walk.rest();
  return { events: [requested, ...events], slot: 'parked', wakeAt };
}

/** The run waits again for what it waited for before. */
export function unpause(
  { runId }: RunHead,
  { actor }: CommandOf<'unpause'>,
  { course }: Known,
  moment: Moment,
): Decision {
  if (!course) return 'course';
  const { state } = walkOf(runId, course, moment);
  const events = [
    moment.stamp({ event: 'run.unpause.requested', actor, properties: { action: 'unpause' } }),
    moment.stamp({ event: 'run.unpaused', properties: {} }),
  ];
  const prior_block = state.blocked ? 'human_input_required' : null;
  return { events, status: statusLeft({ kind: 'paused', prior_block }, events), slot: 'queued' };
}

/** A run begins, or asks for consent to do so. */
function started({ actor, needsConsent }: CommandOf<'start' | 'resume'>, { stamp }: Moment): Change {
  const requested = stamp({ event: 'run.start_requested', actor, properties: { resume: false } });
  if (needsConsent) return { events: [requested, stamp(PENDING)] };
  return { events: [requested, stamp(runnable(actor, 'start_requested'))], slot: 'queued' };
}

function cancelled(
  { runId }: RunHead,
  course: NonNullable<Known['course']>,
  moment: Moment,
  requested: readonly StampedEvent[],
): Change {
  const end = endOf(runId, course, moment, 'cancelled', CANCELLED);
  return { events: [...requested, ...end], slot: 'none', pendingControl: null };
}

function runnable(actor: Principal, source: 'start_requested' | 'approved'): RunEvent {
  return { event: 'run.runnable', actor, properties: { source } };
}
