import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { closedSchemas } from '../schema/closed.js';
import { namedSchemas, plainReference } from '../schema/named-schemas.js';
import { type SchemaOrReference } from '../schema/openapi-types.js';

const API_VERSION = '0.1.0';

/** Describes what the controllers of this application serve. The same code always gives the same document. */
export function buildOpenApi(app: INestApplication): OpenAPIObject {
  const frame = new DocumentBuilder()
    .setTitle('Runyard')
    .setDescription('Durable runs of workflow graphs: submit, start, follow, cancel.')
    .setVersion(API_VERSION)
    .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'bearer')
    .addSecurityRequirements('bearer')
    .build();
  const document = SwaggerModule.createDocument(app, frame);
  const schemas = { ...document.components?.schemas, ...namedSchemas() };
  for (const name of closedSchemas()) {
    if (schemas[name]) schemas[name] = { ...schemas[name], additionalProperties: false };
  }
  return simplified({ ...document, components: { ...document.components, schemas: sorted(schemas) } });
}

function sorted(schemas: Record<string, SchemaOrReference>): Record<string, SchemaOrReference> {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A copy in which every intersection of one is the one. */
function simplified<T>(value: T): T {
  if (Array.isArray(value)) return value.map(simplified) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, simplified<unknown>(member)]));
  return plainReference(copy) as T;
}
