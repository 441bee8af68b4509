import { z } from 'zod';

/** The keys that a table takes at a place in a document; empty where any key is taken, or none is known. */
export function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const [first, ...rest] = path;
  if (schema instanceof z.ZodOptional) return knownKeys(schema.unwrap() as z.ZodType, path);
  if (schema instanceof z.ZodUnion) {
    return schema.options.flatMap((option) => knownKeys(option as z.ZodType, path));
  }
  if (schema instanceof z.ZodArray) return first === undefined ? [] : knownKeys(schema.element as z.ZodType, rest);
  if (schema instanceof z.ZodRecord) return first === undefined ? [] : knownKeys(schema.valueType as z.ZodType, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  if (first === undefined) return Object.keys(schema.shape);
  const members = schema.shape as Record<string, z.ZodType>;
  const member = Object.hasOwn(members, first) ? members[String(first)] : undefined;
  return member ? knownKeys(member, rest) : [];
}
