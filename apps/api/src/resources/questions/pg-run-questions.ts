import { openQuestions, type OpenQuestion } from '#libs/engine';
import type { QuestionAnswer } from '#libs/events';
import type { Clock, RunId } from '#libs/kernel';
import type { RunLedger } from '#libs/persistence';
import { walkToRead } from '#libs/runs';
import type { Caller } from '../../edge/auth/caller.js';
import type { ApiQuestion } from './dto/question.js';
import { RunQuestions } from './run-questions.js';
import type { PageQuery } from '../runs/dto/run-queries.js';
import { pageOfList, type Page } from '../runs/run-use-cases.js';

export class PgRunQuestions extends RunQuestions {
  constructor(
    private readonly ledger: RunLedger,
    private readonly clock: Clock,
  ) {
    super();
  }

  async list({ tenantId }: Caller, runId: RunId, { limit, offset }: PageQuery): Promise<Page<ApiQuestion>> {
    const { status } = await this.ledger.head({ tenantId, runId });
    if (status !== 'blocked' && status !== 'paused') return pageOfList([], 0, offset);
    const stored = await this.ledger.state({ tenantId, runId });
    const open = openQuestions(walkToRead(runId, stored, this.clock.now()).state);
    return pageOfList(open.slice(offset, offset + limit).map(questionResponse), open.length, offset);
  }

  answer(
    { tenantId, principal: actor }: Caller,
    runId: RunId,
    questionId: string,
    answer: QuestionAnswer,
  ): Promise<void> {
    return this.ledger.change({ tenantId, runId }, { kind: 'answer', actor, questionId, answer });
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
