import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type RunId } from '#libs/kernel';
import { From } from '../../edge/auth/auth.guard.js';
import { type Caller } from '../../edge/auth/caller.js';
import { DRAWING_POLICY } from '../../edge/http/headers.js';
import { Operation } from '../../edge/operations/operation.js';
import { PaginatedRunList } from './dto/pages.js';
import { DeleteRunResponse, DenyRunRequest, RetryRunRequest, StartRunRequest } from './dto/run-commands.js';
import { RunManifestRequest } from '../manifests/dto/run-manifest.js';
import { DeleteRunQuery, GraphQuery, ListRunsQuery, ResolveRunQuery } from './dto/run-queries.js';
import { RunResponse } from './dto/run-response.js';
import { idempotencyKeyFrom } from '../../edge/http/idempotency-key.js';
import { RunIdPipe } from '../../edge/http/run-id.pipe.js';
import { RunOperation } from '../../edge/operations/run-operation.js';
import { RunControl, RunQueries, RunSubmission } from './run-use-cases.js';

@ApiTags('Runs')
@Controller('api/v1/runs')
export class RunsController {
  constructor(
    @Inject(RunSubmission) private readonly submission: RunSubmission,
    @Inject(RunControl) private readonly control: RunControl,
    @Inject(RunQueries) private readonly queries: RunQueries,
  ) {}

  @Post()
  @Operation('createRun', 'Submit a manifest as a new run', {
    role: 'operator',
    runTokens: 'children',
    errors: [400, 404, 409, 413],
  })
  @ApiHeader({ name: 'Idempotency-Key', required: false, description: 'The same key and manifest give the same run.' })
  @ApiCreatedResponse({ type: RunResponse })
  create(
    @Body() manifest: RunManifestRequest,
    @From() caller: Caller,
    @Headers('Idempotency-Key') key?: string,
  ): Promise<RunResponse> {
    return this.submission.submit(manifest, caller, idempotencyKeyFrom(key));
  }

  @Get()
  @Operation('listRuns', 'List runs', { role: 'viewer', runTokens: 'children', errors: [400] })
  @ApiOkResponse({ type: PaginatedRunList })
  list(@Query() query: ListRunsQuery, @From() caller: Caller): Promise<PaginatedRunList> {
    return this.queries.list(caller, query);
  }

  @Get('resolve')
  @Operation('resolveRun', 'Find the one run that a text means', {
    role: 'viewer',
    runTokens: 'children',
    errors: [400, 404],
  })
  @ApiOkResponse({ type: RunResponse })
  resolve(@Query() { selector, match }: ResolveRunQuery, @From() caller: Caller): Promise<RunResponse> {
    return this.queries.resolve(caller, selector, match);
  }

  @Get(':id')
  @RunOperation('retrieveRun', 'Read a run', { role: 'viewer', runTokens: 'line' })
  @ApiOkResponse({ type: RunResponse })
  retrieve(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<RunResponse> {
    return this.queries.get(caller, id);
  }

  @Delete(':id')
  @RunOperation('deleteRun', 'Remove a run with its events and its sandbox', { role: 'editor', errors: [409] })
  @ApiOkResponse({ type: DeleteRunResponse, description: 'Removed; its sandbox was kept.' })
  @ApiNoContentResponse({ description: 'Removed, or never there.' })
  async remove(
    @Param('id', RunIdPipe) id: RunId,
    @Query() { force }: DeleteRunQuery,
    @From() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DeleteRunResponse | undefined> {
    const left = await this.control.remove(caller, id, { force });
    void reply.status(left ? 200 : 204);
    return left;
  }

  @Post(':id/start')
  @HttpCode(200)
  @RunOperation('startRun', 'Make a run eligible to execute', {
    role: 'operator',
    runTokens: 'descends',
    errors: [409, 415],
  })
  @ApiBody({ type: StartRunRequest, required: false })
  @ApiOkResponse({ type: RunResponse })
  start(
    @Param('id', RunIdPipe) id: RunId,
    @Body() { resume }: StartRunRequest,
    @From() caller: Caller,
  ): Promise<RunResponse> {
    return this.control.start(caller, id, { resume });
  }

  @Post(':id/approve')
  @HttpCode(200)
  @RunOperation('approveRun', 'Consent to a run that another run made', { role: 'operator', errors: [403, 409] })
  @ApiOkResponse({ type: RunResponse })
  approve(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<RunResponse> {
    return this.control.approve(caller, id);
  }

  @Post(':id/deny')
  @HttpCode(200)
  @RunOperation('denyRun', 'Refuse a run that another run made', { role: 'operator', errors: [403, 409, 415] })
  @ApiBody({ type: DenyRunRequest, required: false })
  @ApiOkResponse({ type: RunResponse })
  deny(
    @Param('id', RunIdPipe) id: RunId,
    @Body() { reason }: DenyRunRequest,
    @From() caller: Caller,
  ): Promise<RunResponse> {
    return this.control.deny(caller, id, reason?.trim() || undefined);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RunOperation('cancelRun', 'Ask a run to end', { role: 'operator', runTokens: 'descends', errors: [409] })
  @ApiOkResponse({ type: RunResponse })
  cancel(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<RunResponse> {
    return this.control.cancel(caller, id);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @RunOperation('pauseRun', 'Let a run rest at its next safe point', { role: 'operator', errors: [409] })
  @ApiOkResponse({ type: RunResponse })
  pause(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<RunResponse> {
    return this.control.pause(caller, id);
  }

  @Post(':id/unpause')
  @HttpCode(200)
  @RunOperation('unpauseRun', 'Let a paused run go on', { role: 'operator', errors: [409] })
  @ApiOkResponse({ type: RunResponse })
  unpause(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<RunResponse> {
    return this.control.unpause(caller, id);
  }

  @Post(':id/retry')
  @RunOperation('retryRun', 'Try a run that is over again, as a new run that starts at once', {
    role: 'operator',
    errors: [409, 415],
  })
  @ApiHeader({ name: 'Idempotency-Key', required: false, description: 'The same key and request give the same run.' })
  @ApiBody({ type: RetryRunRequest, required: false })
  @ApiCreatedResponse({ type: RunResponse, description: 'The new run.' })
  retry(
    @Param('id', RunIdPipe) id: RunId,
    @Body() { edits }: RetryRunRequest,
    @From() caller: Caller,
    @Headers('Idempotency-Key') key?: string,
  ): Promise<RunResponse> {
    return this.submission.retry(caller, id, edits, idempotencyKeyFrom(key));
  }

  @Get(':id/graph')
  @RunOperation('retrieveRunGraph', "Draw a run's workflow and how far the run came", { role: 'viewer', errors: [413] })
  @ApiOkResponse({ content: { 'image/svg+xml': { schema: { type: 'string' } } } })
  @Header('Content-Type', 'image/svg+xml')
  @Header('Content-Security-Policy', DRAWING_POLICY)
  graph(
    @Param('id', RunIdPipe) id: RunId,
    @Query() { direction }: GraphQuery,
    @From() caller: Caller,
  ): Promise<string> {
    return this.queries.graphSvg(caller, id, direction);
  }

  @Get(':id/graph/source')
  @RunOperation('retrieveRunGraphSource', "Read the source of a run's workflow", { role: 'viewer' })
  @ApiOkResponse({ content: { 'text/vnd.graphviz': { schema: { type: 'string' } } } })
  @Header('Content-Type', 'text/vnd.graphviz')
  graphSource(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<string> {
    return this.queries.graphSource(caller, id);
  }
}
