import { fitsJson, jsonBytes } from '#libs/kernel';
import { type Kind, mismatch, quote } from './kind.js';
import { type SchemaObject } from './openapi-types.js';
import { nameSchema } from './named-schemas.js';

export interface TextRules {
  min?: number;
  max?: number;
  /** As JSON. */
  maxBytes?: number;
  format?: 'date-time' | 'uuid' | 'uri' | 'ulid';
  trim?: boolean;
  /** Says what is wrong with the text beyond its length. */
  check?: (text: string) => string | undefined;
}

export function textKind({ min, max, maxBytes, format, trim = false, check }: TextRules = {}): Kind {
  const schema: SchemaObject = { type: 'string' };
  if (min !== undefined) schema.minLength = min;
  if (max !== undefined) schema.maxLength = max;
  if (format !== undefined) schema.format = format;
  return {
    expected: 'text',
    schema,
    into: (value) => (trim && typeof value === 'string' ? value.trim() : value),
    problem(value) {
      if (typeof value !== 'string') return mismatch('text', value);
      const length = lengthOf(value);
      if (min !== undefined && length < min) return `must not be ${length === 0 ? 'blank' : `under ${min} characters`}`;
      if (max !== undefined && length > max) return `must have at most ${max} characters, not ${length}`;
      if (maxBytes !== undefined && !fitsJson(value, maxBytes)) return sizeProblem(jsonBytes(value), maxBytes);
      return check?.(value);
    },
  };
}

/** The rest of a sentence about what is too large for the log. */
export function sizeProblem(bytes: number, maxBytes: number): string {
  return `takes ${bytes} bytes; at most ${maxBytes} are allowed`;
}

/** Characters as people count them, not UTF-16 units. */
function lengthOf(value: string): number {
  return Array.from(value).length;
}

export interface IntegerRules {
  min?: number;
  max?: number;
  format?: 'int32' | 'int64' | 'uint32' | 'uint64';
  exactly?: number;
}

export function integer({ min, max, format, exactly }: IntegerRules = {}): Kind {
  const expected = exactly !== undefined ? `the integer ${exactly}` : `an integer${rangeOf(min, max)}`;
  const schema: SchemaObject = { type: 'integer' };
  if (format !== undefined) schema.format = format;
  if (min !== undefined) schema.minimum = min;
  if (max !== undefined) schema.maximum = max;
  if (exactly !== undefined) schema.enum = [exactly];
  return {
    expected,
    schema,
    problem(value) {
      const fits =
        Number.isSafeInteger(value) &&
        (value as number) >= (exactly ?? min ?? -Infinity) &&
        (value as number) <= (exactly ?? max ?? Infinity);
      return fits ? undefined : mismatch(expected, value);
    },
  };
}

function rangeOf(min?: number, max?: number): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
}

export function number(): Kind {
  return {
    expected: 'a number',
    schema: { type: 'number' },
    problem: (value) => (typeof value === 'number' ? undefined : mismatch('a number', value)),
  };
}

export function flag(): Kind {
  return {
    expected: 'true or false',
    schema: { type: 'boolean' },
    problem: (value) => (typeof value === 'boolean' ? undefined : mismatch('true or false', value)),
  };
}

/** One of a closed list of words; with a name it becomes a schema of its own in the document. */
export function choice(words: readonly string[], name?: string): Kind {
  const expected = words.length === 1 ? quote(words[0] ?? '') : `one of ${words.join(', ')}`;
  const schema: SchemaObject = { type: 'string', enum: [...words] };
  return {
    expected,
    schema: name === undefined ? schema : nameSchema(name, schema),
    problem(value) {
      if (typeof value !== 'string') return mismatch(expected, value);
      return words.includes(value) ? undefined : `must be ${expected}, not ${quote(value)}`;
    },
  };
}

/** Any JSON value. */
export function anything(): Kind {
  return { expected: 'any value', schema: {}, problem: () => undefined };
}
