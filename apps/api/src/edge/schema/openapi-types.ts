import { type OpenAPIObject } from '@nestjs/swagger';

type Components = NonNullable<OpenAPIObject['components']>;

export type SchemaOrReference = NonNullable<Components['schemas']>[string];
export type SchemaObject = Exclude<SchemaOrReference, { $ref: string }>;
