import { Controller, Get, Headers, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type RunId } from '#libs/kernel';
import { From } from '../../edge/auth/auth.guard.js';
import { type Caller } from '../../edge/auth/caller.js';
import { firstSeq } from '../../streams/first-seq.js';
import { StreamAttachment } from '../../streams/attach.js';
import { AttachQuery } from '../run-events/dto/attach-query.js';
import { EventEnvelope } from '../run-events/dto/event-envelope.js';
import { PaginatedEventList, PaginatedRunStageList } from './dto/pages.js';
import { ListEventsQuery, PageQuery } from './dto/run-queries.js';
import { WorkflowSettings } from '../manifests/dto/settings/workflow-settings.js';
import { RunIdPipe } from '../../edge/http/run-id.pipe.js';
import { RunOperation } from '../../edge/operations/run-operation.js';
import { RunQueries } from './run-use-cases.js';

@ApiTags('Run Internals')
@Controller('api/v1/runs/:id')
export class RunInternalsController {
  constructor(
    @Inject(RunQueries) private readonly queries: RunQueries,
    @Inject(StreamAttachment) private readonly streams: StreamAttachment,
  ) {}

  @Get('stages')
  @RunOperation('listRunStages', 'List the stages of a run', { role: 'viewer' })
  @ApiOkResponse({ type: PaginatedRunStageList })
  stages(
    @Param('id', RunIdPipe) id: RunId,
    @Query() page: PageQuery,
    @From() caller: Caller,
  ): Promise<PaginatedRunStageList> {
    return this.queries.stages(caller, id, page);
  }

  @Get('settings')
  @RunOperation('retrieveRunSettings', 'Read the settings a run was created with', { role: 'viewer' })
  @ApiOkResponse({ type: WorkflowSettings })
  settings(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<WorkflowSettings> {
    return this.queries.settings(caller, id);
  }

  @Get('events')
  @RunOperation('listRunEvents', 'Read the event log of a run', { role: 'viewer', runTokens: 'line' })
  @ApiOkResponse({
    type: PaginatedEventList,
    description: 'Checkpoints are whole. A page ends before its limit where they take more than 4 MiB.',
  })
  events(
    @Param('id', RunIdPipe) id: RunId,
    @Query() query: ListEventsQuery,
    @From() caller: Caller,
  ): Promise<PaginatedEventList> {
    return this.queries.events(caller, id, query);
  }

  @Get('attach')
  @RunOperation('attachRunEvents', 'Follow the event log of a run', { role: 'viewer' })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'The stream begins after this event.' })
  @ApiOkResponse({
    description:
      'One frame per event, its id is the seq. Ends when the run is over. A checkpoint says what its stage changed; the list of events has it whole.',
    content: { 'text/event-stream': { schema: { $ref: getSchemaPath(EventEnvelope) } } },
  })
  async attach(
    @Param('id', RunIdPipe) id: RunId,
    @Query() { since_seq, deltas }: AttachQuery,
    @From() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Headers('Last-Event-ID') lastEventId?: string,
  ): Promise<void> {
    const from = firstSeq(lastEventId, since_seq);
    const isGoingOn = lastEventId !== undefined && from > (since_seq ?? 0);
    await this.streams.serve({ tenantId: caller.tenantId, runId: id, from, isGoingOn, deltas }, request, reply);
  }
}
