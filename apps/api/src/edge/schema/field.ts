import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { schemaKindOf, type KindOrShape } from './composites.js';
import { declareField } from './fields.js';
import { type Kind, mismatch } from './kind.js';

export interface Presence {
  /** The member may be absent. */
  optional?: boolean;
  /** The member may be null. */
  nullable?: boolean;
  /** What an absent member means; said in the document, given by the class's initialiser. */
  default?: unknown;
  doc?: string;
}

/**
 * Declares one member of a shape: its OpenAPI property, its check and its conversion, from one description. A class of
 * such members reads like a table of the interface document.
 */
export function Field(given: KindOrShape, presence: Presence = {}): PropertyDecorator {
  const kind = schemaKindOf(given);
  const problemOf = (value: unknown) => problemWith(kind, presence, value);
  return applyDecorators(
    declare(kind),
    ApiProperty(documented(kind, presence)),
    ValidateBy({
      name: 'field',
      validator: {
        validate: (value: unknown) => problemOf(value) === undefined,
        defaultMessage: (args) => problemOf(args?.value) ?? '',
      },
    }),
  );
}

function declare(kind: Kind): PropertyDecorator {
  return (prototype, name) => {
    declareField(prototype, { name: String(name), kind });
    if (kind.shapes?.length) ApiExtraModels(...kind.shapes)(prototype.constructor);
  };
}

function documented(kind: Kind, presence: Presence): ApiPropertyOptions {
  return {
    ...kind.schema,
    required: !presence.optional,
    ...(presence.nullable ? { nullable: true } : {}),
    ...(presence.default === undefined ? {} : { default: presence.default }),
    ...(presence.doc === undefined ? {} : { description: presence.doc }),
  } as ApiPropertyOptions;
}

function problemWith(kind: Kind, presence: Presence, value: unknown): string | undefined {
  if (value === undefined) return presence.optional ? undefined : `is missing; send ${kind.expected}`;
  if (value === null) return presence.nullable ? undefined : mismatch(kind.expected, null);
  return kind.problem(value);
}
