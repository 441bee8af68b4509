import type { JsonSchema } from './json-schema.js';
import { jsonObjectsIn, noObjectIn } from './json-objects.js';
import { parseObject } from './parse-object.js';
import { invalid, missing, reported, type Reading } from './reading.js';

export function valueExpectation(schema: string): string {
  return `End your response with one JSON object that is valid under this JSON Schema:\n\n${schema.trim()}`;
}

/** Reads the last JSON object of an output as the value of a context key. Only that one is held against the schema. */
export function readValue(schema: JsonSchema, key: string, output: string): Reading {
  const candidates = jsonObjectsIn(output);
  if (candidates.length === 0) return missing(noObjectIn(output));
  let fault: string | undefined;
  for (const candidate of candidates.reverse()) {
    const parsed = parseObject(candidate);
    if ('value' in parsed) {
      const issues = schema.issuesOf(parsed.value);
      if (issues.length > 0) return invalid(...issues);
      return reported({ status: 'succeeded', contextUpdates: { [key]: parsed.value } });
    }
    fault ??= parsed.fault;
  }
  return invalid(`no object is valid JSON: ${fault}`);
}
