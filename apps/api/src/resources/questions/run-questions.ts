import { type QuestionAnswer } from '#libs/events';
import { type RunId } from '#libs/kernel';
import { type Caller } from '../../edge/auth/caller.js';
import { type Page } from '../runs/run-use-cases.js';
import { type PageQuery } from '../runs/dto/run-queries.js';
import { type ApiQuestion } from './dto/question.js';

/** What runs ask people. A run that the caller's tenant does not have is `missing`. */
export abstract class RunQuestions {
  /** The open questions, the oldest first. */
  abstract list(caller: Caller, runId: RunId, page: PageQuery): Promise<Page<ApiQuestion>>;

  /**
   * Answers a question, once: of several answers one is stored, whoever drives the run, and the others are a
   * `conflict`, as is an answer to a question that is not open or not known. An answer that the question does not take
   * is `invalid` and leaves it open. When this resolves the answer is durable.
   */
  abstract answer(caller: Caller, runId: RunId, questionId: string, answer: QuestionAnswer): Promise<void>;
}
