import { objectionTo, openQuestions } from '#libs/engine';
import type { CommandOf } from './command.js';
import { NOTHING, type Decision, type Known, type Moment, type RunHead } from './decision.js';
import { QuestionClosedError, UnfitAnswerError } from './errors.js';
import { walkOf } from './stored-walk.js';

/** The answer is an event like any other; a run that waits for it alone is queued. One that is paused stays so. */
export function answer(
  { runId, status, slot }: RunHead,
  { questionId, answer: given, actor }: CommandOf<'answer'>,
  { course }: Known,
  moment: Moment,
): Decision {
  if (!course) return 'course';
  const walk = walkOf(runId, course, moment);
  const open = openQuestions(walk.state).find(({ asked }) => asked.question.question_id === questionId);
  if (!open) return new QuestionClosedError(runId, questionId);
  const objection = objectionTo(open.asked.question, given);
  if (objection !== undefined) return new UnfitAnswerError(objection);
  const { events, wakeAt } = walk.answer(questionId, given, actor);
  if (status === 'paused') return { events, wakeAt };
  return { events, ...(slot === 'parked' && { slot: 'queued' }) };
}

/**
 * The run stays paused; what follows from the end of a question begins when it goes on. What the database found due is due,
 * however little this process's clock is behind.
 */
export function timeOut(
  { runId, slot }: RunHead,
  { dueAtMs }: CommandOf<'time_out'>,
  { course }: Known,
  { now, random, stamp }: Moment,
): Decision {
  if (slot !== 'parked') return NOTHING;
  if (!course) return 'course';
  const { events, wakeAt } = walkOf(runId, course, { now: Math.max(now, dueAtMs), random, stamp }).settle();
  return { events, wakeAt };
}
