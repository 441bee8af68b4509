import { type SchemaObject } from './openapi-types.js';

/**
 * What a field may hold, said once for both readers: the check of a request and the OpenAPI document.
 * `problem` continues a sentence that begins with the field's place ("title" + "must be text, not null").
 */
export interface Kind {
  readonly expected: string;
  readonly schema: SchemaObject;
  /** The classes that `schema` refers to by name. */
  readonly shapes?: readonly ShapeClass[];
  /** What is wrong with a value that is present; undefined when nothing is. Looks at this level only. */
  problem(value: unknown): string | undefined;
  /** The value as the program wants it: trimmed, or made an instance of its shape. Never throws. */
  into?(value: unknown): unknown;
  /** The values that lie inside and are to be checked on their own, each with its place. */
  parts?(value: unknown): Iterable<Part>;
}

interface Part {
  /** Either a member's name, or an index or key in brackets. */
  place: string;
  kind: Kind;
  value: unknown;
}

export type ShapeClass<T extends object = object> = abstract new () => T;

/** How people call a JSON value; short ones are quoted. */
export function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return quote(value);
  return JSON.stringify(value);
}

export function mismatch(expected: string, value: unknown): string {
  return `must be ${expected}, not ${nameOf(value)}`;
}

/** A value as it may be quoted in an answer: short, on one line. */
export function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
