import { createHash } from 'node:crypto';
import { generateSync, type JsonSchema } from 'json-schema-faker';
import { ModelError } from '#libs/engine';
import { isJsonObject, messageOf, withinTime, type JsonObject } from '#libs/kernel';

/** A schema may ask for more than memory holds; the worker has other things to do meanwhile. */
const LIMIT_MS = 200;

/**
 * An object that fits a JSON Schema, the same for the same question. Throws a {@link ModelError} when none is made within
 * 200 ms: the schema refers to others, or asks for too much.
 */
export function valueFor(schema: JsonObject, question: string): JsonObject {
  const seed = createHash('sha256').update(question).digest().readUInt32BE();
  try {
    const value = withinTime(LIMIT_MS, () => generateSync(schema as JsonSchema, { seed }));
    if (isJsonObject(value)) return value;
    throw new Error('it is not a schema of an object');
  } catch (thrown) {
    const message = `The simulated model cannot make up an answer to this schema: ${messageOf(thrown)}. Give it one with a line "simulate: …" in the prompt.`;
    throw new ModelError(message, 'deterministic', false);
  }
}
