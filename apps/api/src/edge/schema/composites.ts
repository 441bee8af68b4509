import { getSchemaPath } from '@nestjs/swagger';
import { isJsonObject, type JsonObject } from '#libs/kernel';
import { converted, instanceOf } from './fields.js';
import { type Kind, mismatch, quote, type ShapeClass } from './kind.js';
import { nameSchema, plainReference } from './named-schemas.js';

/** A kind, or a class whose fields are declared with {@link Field}. */
export type KindOrShape = Kind | ShapeClass;

export function schemaKindOf(given: KindOrShape): Kind {
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
  const item = schemaKindOf(given);
  const problem = (value: unknown): string | undefined => {
    if (!Array.isArray(value)) return mismatch('a list', value);
    if (value.length < (rules.min ?? 0)) return `must have at least ${rules.min} items`;
    return tooMany('items', value.length, rules.max);
  };
  // What is refused as a whole is not looked into.
  const itemsOf = (value: unknown): unknown[] | undefined =>
    problem(value) === undefined ? (value as unknown[]) : undefined;
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
    problem,
    into: (value) => itemsOf(value)?.map((member) => converted(item, member)) ?? value,
    *parts(value) {
      for (const [index, member] of (itemsOf(value) ?? []).entries()) {
        yield { place: `[${index}]`, kind: item, value: member };
      }
    },
  };
}

export interface MapRules {
  max?: number;
  /** Says what is wrong with the map as a whole, before anything in it is looked at. */
  check?: (map: JsonObject) => string | undefined;
}

/** An object whose keys are data. */
export function mapOf(given: KindOrShape, { max, check }: MapRules = {}): Kind {
  const item = schemaKindOf(given);
  const problem = (value: unknown): string | undefined =>
    isJsonObject(value)
      ? (tooMany('members', Object.keys(value).length, max) ?? check?.(value))
      : mismatch('an object', value);
  const membersOf = (value: unknown): [string, unknown][] | undefined =>
    problem(value) === undefined ? Object.entries(value as JsonObject) : undefined;
  return {
    expected: 'an object',
    schema: {
      type: 'object',
      additionalProperties: plainReference(item.schema),
      ...(max === undefined ? {} : { maxProperties: max }),
    },
    shapes: item.shapes ?? [],
    problem,
    into(value) {
      const members = membersOf(value);
      return members ? Object.fromEntries(members.map(([key, member]) => [key, converted(item, member)])) : value;
    },
    *parts(value) {
      for (const [key, member] of membersOf(value) ?? []) yield { place: `[${quote(key)}]`, kind: item, value: member };
    },
  };
}

function tooMany(what: string, count: number, max = Infinity): string | undefined {
  return count > max ? `must have at most ${max} ${what}, not ${count}; send fewer` : undefined;
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
