import { objectionTo, openQuestions, type OpenQuestion } from '#libs/engine';
import { IllegalTransitionError, isTerminal, type QuestionAnswer } from '#libs/events';
import { RunyardError, type Clock, type RunId } from '#libs/kernel';
import type { RunLedger } from '#libs/persistence';
import { storedWalk } from '#libs/server-runtime';
import type { Caller } from '../../edge/auth/caller.js';
import type { ApiQuestion } from './dto/question.js';
import { RunQuestions } from './run-questions.js';
import type { PageQuery } from '../runs/dto/run-queries.js';
import { pageOf, type Page } from '../runs/run-use-cases.js';

/** Somebody was faster, the time is over, or there never was such a question. */
class QuestionClosedError extends RunyardError {
  override readonly code = 'question_not_open';
  readonly kind = 'conflict';

  constructor(runId: string, questionId: string) {
    super(`Question ${questionId} of run ${runId} is not open: it is answered already, timed out, or was never asked.`);
  }
}

class UnfitAnswerError extends RunyardError {
  override readonly code = 'answer_not_accepted';
  readonly kind = 'invalid';
}

export class PgRunQuestions extends RunQuestions {
  constructor(
    private readonly ledger: RunLedger,
    private readonly clock: Clock,
  ) {
    super();
  }

  async list({ tenantId }: Caller, runId: RunId, { limit, offset }: PageQuery): Promise<Page<ApiQuestion>> {
    const { status } = await this.ledger.head({ tenantId, runId });
    if (status !== 'blocked' && status !== 'paused') return pageOf([], 0, offset);
    const walk = storedWalk(runId, await this.ledger.state({ tenantId, runId }), this.clock);
    const open = openQuestions(walk.state);
    return pageOf(open.slice(offset, offset + limit).map(questionResponse), open.length, offset);
  }

  /** The answer is an event like any other, under the lock of the head; a run that waits for it alone is queued. */
  async answer(
    { tenantId, principal }: Caller,
    runId: RunId,
    questionId: string,
    answer: QuestionAnswer,
  ): Promise<void> {
    await this.ledger.change({ tenantId, runId }, async (head, load) => {
      if (isTerminal(head.status) || head.status === 'removing') {
        throw new IllegalTransitionError(runId, head.status, 'answered');
      }
      const walk = storedWalk(runId, await load(), this.clock);
      const open = openQuestions(walk.state).find(({ asked }) => asked.question.question_id === questionId);
      if (!open) throw new QuestionClosedError(runId, questionId);
      const objection = objectionTo(open.asked.question, answer);
      if (objection !== undefined) throw new UnfitAnswerError(objection);

      const { events, wakeAt } = walk.answer(questionId, answer, principal);
      const isPaused = head.status === 'paused';
      return {
        events,
        ...(isPaused && { status: 'paused', wakeAt }),
        ...(head.slot === 'parked' && !isPaused && { slot: 'queued' }),
      };
    });
  }
}

export function questionResponse({ asked: { question } }: OpenQuestion): ApiQuestion {
  const { question_id, question: text, stage, question_type, options = [], allow_freeform, ...rest } = question;
  return {
    id: question_id,
    text,
    stage,
    question_type,
    options,
    allow_freeform,
    timeout_seconds: rest.timeout_seconds === undefined ? null : Math.ceil(rest.timeout_seconds),
    context_display: rest.context_display ?? null,
    review_target: rest.review_target ?? null,
  };
}
