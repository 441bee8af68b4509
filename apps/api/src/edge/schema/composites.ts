import { getSchemaPath } from '@nestjs/swagger';
import { isJsonObject } from '#libs/kernel';
import { converted, instanceOf } from './fields.js';
import { type Kind, mismatch, quote, type ShapeClass } from './kind.js';
import { nameSchema, plainReference } from './named-schemas.js';

/** A kind, or a class whose fields are declared with {@link Field}. */
export type KindOrShape = Kind | ShapeClass;

export function kindOf(given: KindOrShape): Kind {
  return typeof given === 'function' ? shape(given) : given;
}

function shape(type: ShapeClass): Kind {
  return {
    expected: 'an object',
    schema: { allOf: [{ $ref: getSchemaPath(type) }] },
    shapes: [type],
    problem: (value) => (isJsonObject(value) ? undefined : mismatch('an object', value)),
    into: (value) => (isJsonObject(value) ? instanceOf(type, value) : value),
  };
}

export function listOf(given: KindOrShape, rules: { min?: number; max?: number; unique?: boolean } = {}): Kind {
  const item = kindOf(given);
  return {
    expected: 'a list',
    schema: {
      type: 'array',
      items: plainReference(item.schema),
      ...(rules.min === undefined ? {} : { minItems: rules.min }),
      ...(rules.max === undefined ? {} : { maxItems: rules.max }),
      ...(rules.unique ? { uniqueItems: true } : {}),
    },
    shapes: item.shapes ?? [],
    problem(value) {
      if (!Array.isArray(value)) return mismatch('a list', value);
      if (value.length < (rules.min ?? 0)) return `must have at least ${rules.min} items`;
      return value.length > (rules.max ?? Infinity) ? `must have at most ${rules.max} items` : undefined;
    },
    into: (value) => (Array.isArray(value) ? value.map((member) => converted(item, member)) : value),
    *parts(value) {
      if (!Array.isArray(value)) return;
      for (const [index, member] of value.entries()) yield { place: `[${index}]`, kind: item, value: member };
    },
  };
}

/** An object whose keys are data. */
export function mapOf(given: KindOrShape): Kind {
  const item = kindOf(given);
  return {
    expected: 'an object',
    schema: { type: 'object', additionalProperties: plainReference(item.schema) },
    shapes: item.shapes ?? [],
    problem: (value) => (isJsonObject(value) ? undefined : mismatch('an object', value)),
    into: (value) =>
      isJsonObject(value)
        ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, converted(item, member)]))
        : value,
    *parts(value) {
      if (!isJsonObject(value)) return;
      for (const [key, member] of Object.entries(value)) yield { place: `[${quote(key)}]`, kind: item, value: member };
    },
  };
}

/** One of several shapes, told apart by the word in one of their fields. */
export function union(name: string, tag: string, members: Record<string, ShapeClass>): Kind {
  const words = Object.keys(members);
  const memberOf = (value: unknown) => {
    const word = isJsonObject(value) ? value[tag] : undefined;
    return typeof word === 'string' && Object.hasOwn(members, word) ? members[word] : undefined;
  };
  return {
    expected: 'an object',
    schema: nameSchema(name, {
      oneOf: Object.values(members).map((member) => ({ $ref: getSchemaPath(member) })),
      discriminator: {
        propertyName: tag,
        mapping: Object.fromEntries(words.map((word) => [word, getSchemaPath(members[word] as ShapeClass)])),
      },
    }),
    shapes: Object.values(members),
    problem(value) {
      if (!isJsonObject(value)) return mismatch('an object', value);
      return memberOf(value) ? undefined : `must have a "${tag}" that is one of ${words.join(', ')}`;
    },
    into(value) {
      const member = memberOf(value);
      return member ? instanceOf(member, value as object) : value;
    },
  };
}
