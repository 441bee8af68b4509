import type { EventOf, StampedEvent } from '#libs/events';
import { openStageOf } from '../state/cursors.js';
import type { AskedQuestion, Cursor } from '../state/state.js';

type QuestionEvent = Extract<
  StampedEvent,
  EventOf<'interview.started' | 'interview.completed' | 'interview.timeout' | 'interview.interrupted'>
>;

/** Folds what becomes of a question. Its first end counts; whatever is said of it later changes nothing. */
export function evolveQuestion(cursor: Cursor, event: QuestionEvent): void {
  const doing = openStageOf(cursor)?.doing;
  if (doing?.what !== 'asking') return;
  if (event.event === 'interview.started') {
    const { timeout_seconds } = event.properties;
    const askedAt = Date.parse(event.ts);
    const until = timeout_seconds === undefined ? null : askedAt + timeout_seconds * 1_000;
    doing.asked = { question: event.properties, askedAt, until, end: null };
    return;
  }
  const { asked } = doing;
  if (asked?.question.question_id !== event.properties.question_id || asked.end) return;
  asked.end = endBy(event);
}

function endBy(event: Exclude<QuestionEvent, { event: 'interview.started' }>): NonNullable<AskedQuestion['end']> {
  switch (event.event) {
    case 'interview.completed':
      return { by: 'answer', answer: event.properties.given };
    case 'interview.timeout':
      return { by: 'timeout' };
    case 'interview.interrupted':
      return { by: 'withdrawal', reason: event.properties.reason };
  }
}
