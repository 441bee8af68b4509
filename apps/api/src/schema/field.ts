import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { kindOf, type KindOrShape } from './composites.js';
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

export interface DeclaredField {
  name: string;
  kind: Kind;
}

const FIELDS = Symbol('fields');

/**
 * Declares one member of a shape: its OpenAPI property, its check and its conversion, from one description. A class of
 * such members reads like a table of the interface document.
 */
export function Field(given: KindOrShape, presence: Presence = {}): PropertyDecorator {
  const kind = kindOf(given);
  const problemOf = (value: unknown) => problemWith(kind, presence, value);
  return applyDecorators(
    declare(kind),
    ApiProperty(documented(kind, presence)),
    Transform(({ obj, key }) => convert(kind, (obj as Record<string, unknown>)[key]), { toClassOnly: true }),
    ValidateBy({
      name: 'field',
      validator: {
        validate: (value: unknown) => problemOf(value) === undefined,
        defaultMessage: (args) => problemOf(args?.value) ?? '',
      },
    }),
  );
}

/** The declared members of an instance's class, in their order. */
export function fieldsOf(shape: object): readonly DeclaredField[] {
  return (Reflect.getMetadata(FIELDS, shape) as DeclaredField[] | undefined) ?? [];
}

export function isShape(type: unknown): type is new () => object {
  return typeof type === 'function' && fieldsOf(type.prototype as object).length > 0;
}

function declare(kind: Kind): PropertyDecorator {
  return (prototype, name) => {
    Reflect.defineMetadata(FIELDS, [...fieldsOf(prototype), { name: String(name), kind }], prototype);
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

function convert(kind: Kind, value: unknown): unknown {
  return value !== null && value !== undefined && kind.into ? kind.into(value) : value;
}

function problemWith(kind: Kind, presence: Presence, value: unknown): string | undefined {
  if (value === undefined) return presence.optional ? undefined : `is missing; send ${kind.expected}`;
  if (value === null) return presence.nullable ? undefined : mismatch(kind.expected, null);
  return kind.problem(value);
}
