import { endUnread, initialState, RunDefinition, Walk, type StoredState } from '#libs/engine';
import type { FailureDetail, RunFailureReason, StampedEvent } from '#libs/events';
import { InvariantError } from '#libs/kernel';
import type { Known, Moment, StoredCourse } from './decision.js';

/**
 * A run as its log has it, ready to say what follows from what people ask for. Nothing it says is of any epoch. The state
 * that is given belongs to the walk from then on.
 */
export function storedWalk(
  runId: string,
  { spec, snapshot, tail }: StoredState,
  { now, random }: Pick<Moment, 'now' | 'random'>,
): Walk {
  const definition = new RunDefinition(runId, spec, null);
  const state = snapshot?.state ?? initialState(definition.index.start.id);
  const walk = new Walk(definition, state, { now, epoch: 0, random });
  for (const event of tail) walk.hear(event);
  return walk;
}

/** The same, only to be looked at: nothing is decided with it. */
export function walkToRead(runId: string, stored: StoredState, nowMs: number): Walk {
  return storedWalk(runId, stored, { now: nowMs, random: noDice });
}

function noDice(): never {
  throw new InvariantError('Nothing is decided where a run is only read.');
}

/** Throws what stood against reading the course. */
export function readable(course: NonNullable<Known['course']>): StoredCourse {
  if ('unread' in course) throw course.unread;
  return course;
}

export function walkOf(runId: string, course: NonNullable<Known['course']>, moment: Moment): Walk {
  return storedWalk(runId, readable(course), moment);
}

/**
 * The events with which a run ends that no worker drives. Where nobody can read how it stands they are the end alone, so
 * that every run can be ended.
 */
export function endOf(
  runId: string,
  course: NonNullable<Known['course']>,
  moment: Moment,
  reason: RunFailureReason,
  detail: FailureDetail,
): readonly StampedEvent[] {
  try {
    return walkOf(runId, course, moment).fail(reason, detail).events;
  } catch {
    // Nothing is read or asked here: whatever is thrown says that the course makes no sense.
    return [endUnread(reason, detail, moment.now)];
  }
}
