import type { ErrorObject, ValidateFunction } from 'ajv';
import { isJsonObject, messageOf, withinTime, type Json, type JsonObject } from '#libs/kernel';
import { compileSchema } from './compile-schema.js';
import { issueText } from './issue-text.js';

const MAX_ISSUES = 5;
const MAX_KEPT = 100;
const COMPILING_MS = 2_000;
const DECIDING_MS = 1_000;
const LISTING_MS = 200;

/** A JSON Schema that somebody wrote, ready to check values. */
export class JsonSchema {
  private static readonly kept = new Map<string, JsonSchema>();

  private readonly decide: ValidateFunction;
  private list: ValidateFunction | undefined;

  /** The schema with this text; one used of late is not compiled again. Throws an error that says what is wrong with it. */
  static of(text: string): JsonSchema {
    const schema = this.kept.get(text) ?? new JsonSchema(parse(text));
    this.kept.delete(text);
    this.kept.set(text, schema);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MAX_KEPT) break;
      this.kept.delete(oldest);
    }
    return schema;
  }

  private constructor(readonly document: JsonObject) {
    this.decide = this.compiled(false);
  }

  /** What is wrong with a value: nothing when it is valid, else up to five issues. What cannot be checked is not valid. */
  issuesOf(value: JsonObject): string[] {
    try {
      if (withinTime(DECIDING_MS, () => this.decide(value))) return [];
    } catch (thrown) {
      return [`the schema cannot be applied: ${messageOf(thrown)}`];
    }
    return this.errorsOf(value).slice(0, MAX_ISSUES).map(issueText);
  }

  /** All errors if they are listed soon, for there may be more than memory can hold; else the first, which decided. */
  private errorsOf(value: JsonObject): ErrorObject[] {
    const first = this.decide.errors ?? [];
    try {
      const list = (this.list ??= this.compiled(true));
      withinTime(LISTING_MS, () => list(value));
      return list.errors ?? first;
    } catch {
      return first;
    }
  }

  private compiled(allErrors: boolean): ValidateFunction {
    return withinTime(COMPILING_MS, () => compileSchema(this.document, { allErrors }));
  }
}

function parse(text: string): JsonObject {
  const value = JSON.parse(text) as Json;
  if (!isJsonObject(value)) throw new Error('it is neither the word routing nor a JSON Schema object');
  return value;
}
