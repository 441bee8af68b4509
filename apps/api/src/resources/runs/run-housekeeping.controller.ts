import { Body, Controller, Delete, HttpCode, Inject, Param, Patch, Post, Put } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type RunId } from '#libs/kernel';
import { From } from '../../edge/auth/auth.guard.js';
import { type Caller } from '../../edge/auth/caller.js';
import { UpdateRunParentRequest, UpdateRunRequest } from './dto/run-commands.js';
import { RunResponse } from './dto/run-response.js';
import { RunHousekeeping } from './run-housekeeping.js';
import { RunIdPipe } from '../../edge/http/run-id.pipe.js';
import { RunOperation } from '../../edge/operations/run-operation.js';

@ApiTags('Runs')
@Controller('api/v1/runs/:id')
export class RunHousekeepingController {
  constructor(@Inject(RunHousekeeping) private readonly housekeeping: RunHousekeeping) {}

  @Patch()
  @RunOperation('updateRun', 'Give a run another title', { role: 'operator' })
  @ApiOkResponse({ type: RunResponse })
  update(
    @Param('id', RunIdPipe) id: RunId,
    @Body() { title }: UpdateRunRequest,
    @From() caller: Caller,
  ): Promise<RunResponse> {
    return this.housekeeping.rename(caller, id, title);
  }

  @Post('archive')
  @HttpCode(200)
  @RunOperation('archiveRun', 'Make a run that is over read-only and take it out of the lists', {
    role: 'operator',
    runTokens: 'descends',
    errors: [409],
  })
  @ApiOkResponse({ type: RunResponse })
  archive(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<RunResponse> {
    return this.housekeeping.archive(caller, id);
  }

  @Post('unarchive')
  @HttpCode(200)
  @RunOperation('unarchiveRun', 'Bring an archived run back', {
    role: 'operator',
    runTokens: 'descends',
    errors: [409],
  })
  @ApiOkResponse({ type: RunResponse })
  unarchive(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<RunResponse> {
    return this.housekeeping.unarchive(caller, id);
  }

  @Put('parent')
  @RunOperation('linkRunParent', 'Make a run the child of another one', { role: 'operator', errors: [415] })
  @ApiOkResponse({ type: RunResponse })
  link(
    @Param('id', RunIdPipe) id: RunId,
    @Body() { parent_id }: UpdateRunParentRequest,
    @From() caller: Caller,
  ): Promise<RunResponse> {
    return this.housekeeping.link(caller, id, parent_id as RunId);
  }

  @Delete('parent')
  @RunOperation('unlinkRunParent', 'Take a run away from its parent', { role: 'operator' })
  @ApiOkResponse({ type: RunResponse })
  unlink(@Param('id', RunIdPipe) id: RunId, @From() caller: Caller): Promise<RunResponse> {
    return this.housekeeping.link(caller, id, null);
  }
}
