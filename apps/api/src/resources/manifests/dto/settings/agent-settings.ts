import { listOf, union } from '../../../../edge/schema/composites.js';
import { OneOf, Flag, Integer, MapOf, Discriminator, Text } from '../../../../edge/schema/decorators.js';
import { Field } from '../../../../edge/schema/field.js';
import { textKind } from '../../../../edge/schema/values.js';

const HTTP_PROTOCOLS = ['streamable_http', 'sse'] as const;
const Protocol = () =>
  OneOf(HTTP_PROTOCOLS, { name: 'McpHttpProtocol', optional: true, doc: 'streamable_http when absent.' });

class McpTransportStdio {
  @Discriminator('stdio') type!: 'stdio';
  @Field(listOf(textKind(), { min: 1 })) command!: string[];
  @MapOf(textKind()) env!: Record<string, string>;
}

class McpTransportHttp {
  @Discriminator('http') type!: 'http';
  @Protocol() protocol?: (typeof HTTP_PROTOCOLS)[number];
  @Text({ format: 'uri' }) url!: string;
  @MapOf(textKind()) headers!: Record<string, string>;
}

class McpTransportSandbox {
  @Discriminator('sandbox') type!: 'sandbox';
  @Protocol() protocol?: (typeof HTTP_PROTOCOLS)[number];
  @Field(listOf(textKind(), { min: 1 })) command!: string[];
  @Integer({ min: 1, max: 65_535, format: 'int32' }) port!: number;
  @MapOf(textKind()) env!: Record<string, string>;
}

export type McpTransport = McpTransportStdio | McpTransportHttp | McpTransportSandbox;

const mcpTransport = union('McpTransport', 'type', {
  stdio: McpTransportStdio,
  http: McpTransportHttp,
  sandbox: McpTransportSandbox,
});

export class McpServerSettings {
  @Text() name!: string;
  @Field(mcpTransport) transport!: McpTransport;
  @Integer({ format: 'int64' }) startup_timeout_secs!: number;
  @Integer({ format: 'int64' }) tool_timeout_secs!: number;
}

export class RunAgentSettings {
  @Flag({ doc: 'Agents may start and control runs.' }) service_tools!: boolean;
  @MapOf(McpServerSettings) mcps!: Record<string, McpServerSettings>;
}
