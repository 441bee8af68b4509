import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { type RunId } from '#libs/kernel';
import { From } from '../../edge/auth/auth.guard.js';
import { type Caller } from '../../edge/auth/caller.js';
import { PageQuery } from '../runs/dto/run-queries.js';
import { RunIdPipe } from '../../edge/http/run-id.pipe.js';
import { RunOperation } from '../../edge/operations/run-operation.js';
import { UnionBody, UnionPipe } from '../../edge/schema/union-body.js';
import { submitAnswerRequest, type SubmitAnswerRequest } from './dto/answer.js';
import { PaginatedApiQuestionList } from './dto/question.js';
import { RunQuestions } from './run-questions.js';

@ApiTags('Human-in-the-Loop')
@Controller('api/v1/runs/:id/questions')
export class QuestionsController {
  constructor(@Inject(RunQuestions) private readonly questions: RunQuestions) {}

  @Get()
  @RunOperation('listRunQuestions', 'List the questions that wait for an answer', { role: 'viewer', runTokens: 'line' })
  @ApiOkResponse({ type: PaginatedApiQuestionList })
  list(
    @Param('id', RunIdPipe) id: RunId,
    @Query() page: PageQuery,
    @From() caller: Caller,
  ): Promise<PaginatedApiQuestionList> {
    return this.questions.list(caller, id, page);
  }

  @Post(':qid/answer')
  @HttpCode(204)
  @RunOperation('submitRunAnswer', 'Answer a question', { role: 'operator', errors: [409, 415] })
  @ApiParam({ name: 'qid', type: 'string', description: 'The question.' })
  @UnionBody(submitAnswerRequest)
  @ApiNoContentResponse({ description: 'The answer is stored; the run goes on.' })
  answer(
    @Param('id', RunIdPipe) id: RunId,
    @Param('qid') questionId: string,
    @Body(new UnionPipe(submitAnswerRequest)) answer: SubmitAnswerRequest,
    @From() caller: Caller,
  ): Promise<void> {
    return this.questions.answer(caller, id, questionId, answer);
  }
}
