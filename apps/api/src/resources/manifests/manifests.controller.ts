import { Body, Controller, Header, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type Caller } from '../../edge/auth/caller.js';
import { From } from '../../edge/auth/auth.guard.js';
import { DRAWING_POLICY } from '../../edge/http/headers.js';
import { Operation } from '../../edge/operations/operation.js';
import { RunManifestRequest } from './dto/run-manifest.js';
import { PreflightResponse } from './dto/preflight.js';
import { RenderWorkflowGraphRequest } from './dto/render-graph.js';
import { ValidateResponse } from './dto/workflow-summary.js';
import { ManifestChecks } from './manifests.service.js';

@ApiTags('Runs')
@Controller('api/v1')
export class ChecksController {
  constructor(@Inject(ManifestChecks) private readonly checks: ManifestChecks) {}

  @Post('validate')
  @HttpCode(200)
  @Operation('validateRunManifest', 'Say what is wrong with a workflow', { role: 'viewer', errors: [400, 413, 415] })
  @ApiOkResponse({ type: ValidateResponse })
  validate(@Body() manifest: RunManifestRequest, @From() caller: Caller): Promise<ValidateResponse> {
    return this.checks.validate(manifest, caller.tenantId);
  }

  @Post('preflight')
  @HttpCode(200)
  @Operation('runPreflight', 'Say whether a run could begin', { role: 'operator', errors: [400, 413, 415] })
  @ApiOkResponse({ type: PreflightResponse })
  preflight(@Body() manifest: RunManifestRequest, @From() caller: Caller): Promise<PreflightResponse> {
    return this.checks.preflight(manifest, caller.tenantId);
  }

  @Post('graph/render')
  @HttpCode(200)
  @Operation('renderWorkflowGraph', 'Draw a workflow', { role: 'viewer', errors: [400, 413, 415] })
  @ApiOkResponse({ content: { 'image/svg+xml': { schema: { type: 'string' } } } })
  @Header('Content-Type', 'image/svg+xml')
  @Header('Content-Security-Policy', DRAWING_POLICY)
  draw(@Body() request: RenderWorkflowGraphRequest, @From() caller: Caller): Promise<string> {
    return this.checks.draw(request, caller.tenantId);
  }
}
