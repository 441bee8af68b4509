import { Body, Controller, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { From } from '../../edge/auth/auth.guard.js';
import { type Caller } from '../../edge/auth/caller.js';
import { Operation } from '../../edge/operations/operation.js';
import { SystemCheckResponse } from './dto/check.js';
import { DiskUsageQuery, DiskUsageResponse } from './dto/disk-usage.js';
import { PruneRunsRequest, PruneRunsResponse } from './dto/prune.js';
import { SystemRepairQuery, SystemRepairRunsResponse } from './dto/repair.js';
import { SystemInfoResponse } from './dto/system-info.js';
import { SystemResourcesResponse } from './dto/system-resources.js';
import { RunStorage } from './run-storage.js';
import { SystemReport } from './system-report.js';

@ApiTags('System')
@Controller('api/v1/system')
export class SystemController {
  constructor(
    @Inject(SystemReport) private readonly report: SystemReport,
    @Inject(RunStorage) private readonly storage: RunStorage,
  ) {}

  @Get('info')
  @Operation('getSystemInfo', 'What this server is', { role: 'viewer' })
  @ApiOkResponse({ type: SystemInfoResponse })
  info(@From() caller: Caller): Promise<SystemInfoResponse> {
    return this.report.info(caller);
  }

  @Get('resources')
  @Operation('getSystemResources', 'What the machine has left, and how busy the scheduler is', { role: 'viewer' })
  @ApiOkResponse({ type: SystemResourcesResponse })
  resources(@From() caller: Caller): Promise<SystemResourcesResponse> {
    return this.report.resources(caller);
  }

  @Get('check')
  @Operation('checkSystem', 'Say whether work gets done, and what to do when it does not', { role: 'viewer' })
  @ApiOkResponse({ type: SystemCheckResponse })
  check(): Promise<SystemCheckResponse> {
    return this.report.check();
  }

  @Get('df')
  @Operation('getSystemDiskUsage', 'What runs take', { role: 'viewer', errors: [400] })
  @ApiOkResponse({ type: DiskUsageResponse })
  diskUsage(@Query() query: DiskUsageQuery, @From() caller: Caller): Promise<DiskUsageResponse> {
    return this.storage.usage(caller, query);
  }

  @Get('repair/runs')
  @Operation('getSystemRepairRuns', 'List the runs whose log cannot be read', { role: 'viewer', errors: [400] })
  @ApiOkResponse({ type: SystemRepairRunsResponse })
  unreadable(@Query() query: SystemRepairQuery, @From() caller: Caller): Promise<SystemRepairRunsResponse> {
    return this.storage.unreadable(caller, query);
  }

  @Post('prune/runs')
  @HttpCode(200)
  @Operation('pruneRuns', 'Remove runs that are over', { role: 'editor', errors: [400, 413, 415] })
  @ApiOkResponse({ type: PruneRunsResponse })
  prune(@Body() request: PruneRunsRequest, @From() caller: Caller): Promise<PruneRunsResponse> {
    return this.storage.prune(caller, request);
  }
}
