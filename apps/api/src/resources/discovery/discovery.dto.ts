import { Nested, Text } from '../../edge/schema/decorators.js';

export class RootResponseUrls {
  @Text() openapi_url!: string;
  @Text() health_url!: string;
}

export class RootResponse {
  @Nested(RootResponseUrls) urls!: RootResponseUrls;
}

export class HealthResponse {
  @Text() status!: string;
}
