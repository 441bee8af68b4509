import { messageOf, RunyardError, type JsonObject } from '#libs/kernel';
import type { OutputSchema } from '#libs/language';
import { JsonSchema } from './json-schema.js';
import type { Reading } from './reading.js';
import { readRouting, ROUTING_EXPECTATION } from './routing.js';
import { readValue, valueExpectation } from './schema-value.js';

/** What the `output_schema` of a node asks of its output. */
export interface OutputContract {
  /** The contract in words, for the model that writes the output. */
  readonly expectation: string;
  /** The schema of the object asked for; absent for routing, where further members are free. */
  readonly jsonSchema?: JsonObject;
  /** Reads an output, whatever text it is. */
  read(output: string): Reading;
}

/** An `output_schema` by which nothing can be read. Only another workflow helps. */
export class InvalidOutputSchemaError extends RunyardError {
  override readonly code = 'invalid_output_schema';
  readonly kind = 'invalid';

  constructor(nodeId: string, cause: unknown) {
    super(`Invalid output_schema for node "${nodeId}": ${messageOf(cause)}`, { cause });
  }
}

/** Throws an {@link InvalidOutputSchemaError} for a text that is neither `routing` nor a JSON Schema. */
export function outputContract(schema: OutputSchema, nodeId: string): OutputContract {
  if (schema.trim() === 'routing') return { expectation: ROUTING_EXPECTATION, read: readRouting };
  const compiled = compiledFor(nodeId, schema);
  return {
    expectation: valueExpectation(schema),
    jsonSchema: compiled.document,
    read: (output) => readValue(compiled, `output.${nodeId}`, output),
  };
}

function compiledFor(nodeId: string, schema: OutputSchema): JsonSchema {
  try {
    return JsonSchema.of(schema);
  } catch (thrown) {
    throw new InvalidOutputSchemaError(nodeId, thrown);
  }
}

/** Tells a model what was wrong with its last output and asks for a better one. */
export function correctionText({ expectation }: OutputContract, issues: readonly string[]): string {
  const list = issues.map((issue) => `- ${issue}`).join('\n');
  return `Your response does not satisfy the output schema:\n${list}\n\n${expectation}\n\nAnswer with only the corrected JSON object.`;
}
