import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type RunId } from '#libs/kernel';
import { From } from '../../edge/auth/auth.guard.js';
import { type Caller } from '../../edge/auth/caller.js';
import { RunBilling } from './dto/run-billing.js';
import { RunIdPipe } from '../../edge/http/run-id.pipe.js';
import { RunOperation } from '../../edge/operations/run-operation.js';
import { RunQueries } from './run-use-cases.js';

@ApiTags('Run Outputs')
@Controller('api/v1/runs/:id')
export class RunOutputsController {
  constructor(@Inject(RunQueries) private readonly queries: RunQueries) {}

  @Get('billing')
  @RunOperation('retrieveRunBilling', 'Read what a run has used', { role: 'viewer' })
  @ApiOkResponse({ type: RunBilling })
  billing(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<RunBilling> {
    return this.queries.billing(caller, id);
  }
}
