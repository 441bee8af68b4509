import { Body, Controller, Get, Headers, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type RunId } from '#libs/kernel';
import { From } from '../../edge/auth/auth.guard.js';
import { type Caller } from '../../edge/auth/caller.js';
import { idempotencyKeyFrom } from '../../edge/http/idempotency-key.js';
import { RunIdPipe } from '../../edge/http/run-id.pipe.js';
import { RunOperation } from '../../edge/operations/run-operation.js';
import { RunCheckpoint } from './dto/checkpoint.js';
import { ForkRequest, ForkResponse, RewindRequest, RewindResponse } from '../runs/dto/fork.js';
import { RunProjection } from './dto/projection.js';
import { TimelineEntryResponse } from './dto/timeline.js';
import { RunHistory } from './run-history.js';

@ApiTags('Runs')
@Controller('api/v1/runs/:id')
export class HistoryController {
  constructor(@Inject(RunHistory) private readonly history: RunHistory) {}

  @Get('timeline')
  @RunOperation('getRunTimeline', 'List the checkpoints of a run', { role: 'viewer' })
  @ApiOkResponse({ type: TimelineEntryResponse, isArray: true })
  timeline(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<TimelineEntryResponse[]> {
    return this.history.timeline(caller, id);
  }

  @Get('state')
  @RunOperation('getRunState', 'Read all that the log says about a run', { role: 'viewer', runTokens: 'line' })
  @ApiOkResponse({ type: RunProjection })
  state(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<RunProjection> {
    return this.history.state(caller, id);
  }

  @Get('checkpoint')
  @RunOperation('retrieveRunCheckpoint', 'Read the latest checkpoint of a run', { role: 'viewer' })
  @ApiOkResponse({ type: RunCheckpoint, description: 'The checkpoint, or null when the run has none yet.' })
  async checkpoint(
    @Param('id', RunIdPipe) id: RunId,
    @From() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunCheckpoint | string> {
    void reply.type('application/json');
    return (await this.history.checkpoint(caller, id)) ?? 'null';
  }

  @Post('fork')
  @HttpCode(200)
  @RunOperation('forkRun', 'Make a run that goes on from a checkpoint, perhaps with changes', {
    role: 'operator',
    errors: [409, 415],
  })
  @ApiHeader({ name: 'Idempotency-Key', required: false, description: 'The same key and request give the same run.' })
  @ApiBody({ type: ForkRequest, required: false })
  @ApiOkResponse({ type: ForkResponse })
  fork(
    @Param('id', RunIdPipe) id: RunId,
    @Body() request: ForkRequest,
    @From() caller: Caller,
    @Headers('Idempotency-Key') key?: string,
  ): Promise<ForkResponse> {
    return this.history.fork(caller, id, request, idempotencyKeyFrom(key));
  }

  @Post('rewind')
  @RunOperation('rewindRun', 'Go back to a checkpoint in a new run, and retire this one', {
    role: 'editor',
    errors: [409, 415],
  })
  @ApiHeader({ name: 'Idempotency-Key', required: false, description: 'The same key and request give the same run.' })
  @ApiBody({ type: RewindRequest, required: false })
  @ApiOkResponse({ type: RewindResponse })
  @ApiResponse({ status: 207, type: RewindResponse, description: 'The new run exists; this one was not retired.' })
  async rewind(
    @Param('id', RunIdPipe) id: RunId,
    @Body() request: RewindRequest,
    @From() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('Idempotency-Key') key?: string,
  ): Promise<RewindResponse> {
    const rewound = await this.history.rewind(caller, id, request, idempotencyKeyFrom(key));
    void reply.status(rewound.archived ? 200 : 207);
    return rewound;
  }
}
