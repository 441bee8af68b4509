import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiResponse, ApiTags } from '@nestjs/swagger';
import { METRICS_TYPE } from '#libs/server-runtime';
import { Text } from '../../edge/schema/decorators.js';
import { ErrorResponse } from '../../edge/envelope/error-response.js';
import { Operation, PublicOperation } from '../../edge/operations/operation.js';
import { MetricsText, ProcessReadiness, UnreadyError } from './process-reports.js';

export class ReadyResponse {
  @Text() status!: string;
}

/** What load balancers and scrapers ask this process; the listener for operators answers the same without a token. */
@ApiTags('System')
@Controller()
export class OperatorsController {
  constructor(
    @Inject(ProcessReadiness) private readonly readiness: ProcessReadiness,
    @Inject(MetricsText) private readonly metrics: MetricsText,
  ) {}

  @Get('ready')
  @PublicOperation('getReadiness', 'Whether the process can do its work')
  @ApiOkResponse({ type: ReadyResponse })
  @ApiResponse({ status: 503, description: 'It cannot; the details say why.', type: ErrorResponse })
  async ready(): Promise<ReadyResponse> {
    const faults = await this.readiness.faults();
    if (faults.length > 0) throw new UnreadyError(faults);
    return { status: 'ready' };
  }

  @Get('metrics')
  @Operation('getMetrics', 'Figures of this process and of the server, for Prometheus', { role: 'viewer' })
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string' } } } })
  @Header('Content-Type', METRICS_TYPE)
  metricsText(): Promise<string> {
    return this.metrics.text();
  }
}
