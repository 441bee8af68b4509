import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { PublicAddress } from '../../edge/http/public-address.js';
import { OpenApiText } from '../../edge/openapi/openapi-text.js';
import { PublicOperation } from '../../edge/operations/operation.js';
import { HealthResponse, RootResponse } from './discovery.dto.js';

/** What a stranger may know: where things are, and that the process answers. Never touches storage. */
@ApiTags('Discovery')
@Controller()
export class DiscoveryController {
  constructor(
    @Inject(PublicAddress) private readonly address: PublicAddress,
    @Inject(OpenApiText) private readonly openApi: OpenApiText,
  ) {}

  @Get()
  @PublicOperation('getRoot', 'Where things are')
  @ApiOkResponse({ type: RootResponse })
  root(): RootResponse {
    return {
      urls: {
        openapi_url: this.address.of('/api/v1/openapi.json'),
        health_url: this.address.of('/api/v1/health'),
      },
    };
  }

  @Get('health')
  @PublicOperation('getHealth', 'Whether the process answers')
  @ApiOkResponse({ type: HealthResponse })
  health(): HealthResponse {
    return { status: 'ok' };
  }

  @Get('api/v1/health')
  @PublicOperation('getApiHealth', 'Whether the process answers')
  @ApiOkResponse({ type: HealthResponse })
  apiHealth(): HealthResponse {
    return { status: 'ok' };
  }

  @Get('api/v1/openapi.json')
  @PublicOperation('getOpenApiSpec', 'This description')
  @ApiOkResponse({ content: { 'application/json': { schema: { type: 'object' } } } })
  @Header('Content-Type', 'application/json; charset=utf-8')
  openApiDocument(): string {
    return this.openApi.text;
  }
}
