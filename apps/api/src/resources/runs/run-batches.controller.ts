import { Body, Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type RunId, RunyardError } from '#libs/kernel';
import { From } from '../../edge/auth/auth.guard.js';
import { type Caller } from '../../edge/auth/caller.js';
import { RequestLog } from '../../edge/http/request-log.js';
import { Operation } from '../../edge/operations/operation.js';
import { deletionResult, lifecycleResult, summaryOf } from './batch-results.js';
import {
  BatchDeleteRunsRequest,
  BatchDeleteRunsResponse,
  BatchRunLifecycleRequest,
  BatchRunLifecycleResponse,
} from './dto/run-batches.js';
import { type ArchiveResult, RunHousekeeping } from './run-housekeeping.js';
import { RunControl } from './run-use-cases.js';

const DESCRIPTION = 'Each run is handled as if it were the only one; the answer says of each what became of it.';

@ApiTags('Runs')
@Controller('api/v1/runs')
export class RunBatchesController {
  constructor(
    @Inject(RunHousekeeping) private readonly housekeeping: RunHousekeeping,
    @Inject(RunControl) private readonly control: RunControl,
    @Inject(RequestLog) private readonly log: RequestLog,
  ) {}

  @Post('archive')
  @HttpCode(200)
  @Operation('batchArchiveRuns', 'Archive up to 250 runs', { role: 'operator', errors: [400, 415] })
  @ApiOkResponse({ type: BatchRunLifecycleResponse, description: DESCRIPTION })
  async archive(
    @Body() { run_ids }: BatchRunLifecycleRequest,
    @From() caller: Caller,
  ): Promise<BatchRunLifecycleResponse> {
    const ids = run_ids as RunId[];
    return answered(ids, await this.housekeeping.archiveAll(caller, ids));
  }

  @Post('unarchive')
  @HttpCode(200)
  @Operation('batchUnarchiveRuns', 'Bring up to 250 archived runs back', { role: 'operator', errors: [400, 415] })
  @ApiOkResponse({ type: BatchRunLifecycleResponse, description: DESCRIPTION })
  async unarchive(
    @Body() { run_ids }: BatchRunLifecycleRequest,
    @From() caller: Caller,
  ): Promise<BatchRunLifecycleResponse> {
    const ids = run_ids as RunId[];
    return answered(ids, await this.housekeeping.unarchiveAll(caller, ids));
  }

  @Post('delete')
  @HttpCode(200)
  @Operation('batchDeleteRuns', 'Remove up to 250 runs with their events and sandboxes', {
    role: 'editor',
    errors: [400, 415],
  })
  @ApiOkResponse({ type: BatchDeleteRunsResponse, description: DESCRIPTION })
  async remove(
    @Body() { run_ids, force }: BatchDeleteRunsRequest,
    @From() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BatchDeleteRunsResponse> {
    const ids = run_ids as RunId[];
    const removals = await this.control.removeAll(caller, ids, { force });
    for (const removal of removals) {
      const isOurs = removal instanceof Error && !(removal instanceof RunyardError);
      if (isOurs) this.log.failed(request, removal);
    }
    const results = ids.map((id, place) => deletionResult(id, removals[place]!));
    return { results, summary: summaryOf(results) };
  }
}

function answered(ids: readonly RunId[], all: readonly ArchiveResult[]): BatchRunLifecycleResponse {
  const results = ids.map((id, place) => lifecycleResult(id, all[place]!));
  return { results, summary: summaryOf(results) };
}
