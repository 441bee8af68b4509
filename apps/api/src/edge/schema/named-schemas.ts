import { type SchemaObject, type SchemaOrReference } from './openapi-types.js';

/** Schemas that have a name in the document but no class: closed lists of words, and unions. */
const named = new Map<string, SchemaObject>();

/** Registers a schema under a name and returns a reference to it. One name means one schema. */
export function nameSchema(name: string, schema: SchemaObject): SchemaObject {
  named.set(name, schema);
  return { allOf: [{ $ref: `#/components/schemas/${name}` }] };
}

export function namedSchemas(): Record<string, SchemaObject> {
  return Object.fromEntries(named);
}

/** `{allOf: [one reference]}` says the same as the reference; the document uses the shorter form. */
export function plainReference(schema: SchemaObject): SchemaOrReference {
  const [only, ...others] = schema.allOf ?? [];
  return only && others.length === 0 && Object.keys(schema).length === 1 ? only : schema;
}
