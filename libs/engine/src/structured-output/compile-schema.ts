import { Ajv, type AnySchemaObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import type { JsonObject } from '#libs/kernel';

const LATEST = 'https://json-schema.org/draft/2020-12/schema';
const DIALECTS = new Map<string, new (options: Options) => Ajv>([
  [LATEST, Ajv2020],
  ['https://json-schema.org/draft/2019-09/schema', Ajv2019],
  ['http://json-schema.org/draft-07/schema', Ajv],
  ['http://json-schema.org/draft-06/schema', Ajv],
]);

/**
 * Regular expressions run on the engine of conditions: no pattern takes more time than in proportion to the text.
 * Look-around and back-references are refused.
 */
const linearPattern = Object.assign((pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern)), {
  code: 'linearPattern',
});

const OPTIONS: Options = {
  strict: false,
  validateFormats: false,
  ownProperties: true,
  // Each reference is compiled once, and nothing is polished: the code grows with the schema, and no faster.
  inlineRefs: false,
  code: { regExp: linearPattern, optimize: false },
  logger: false,
};

/**
 * Compiles a schema of the dialect that `$schema` names, else of 2020-12. As in that dialect, `format` is a remark and
 * unknown keywords mean nothing. References reach into the schema itself only. Throws an error that says why a schema
 * cannot be compiled.
 */
export function compileSchema(document: JsonObject, { allErrors }: { allErrors: boolean }): ValidateFunction {
  const { $schema = LATEST, ...schema } = document;
  const Dialect = typeof $schema === 'string' && DIALECTS.get($schema.replace(/#$/, ''));
  if (!Dialect) {
    throw new Error(`$schema is ${JSON.stringify($schema)}, and none of ${[...DIALECTS.keys()].join(', ')}`);
  }
  const validate = new Dialect({ ...OPTIONS, allErrors }).compile(schema as AnySchemaObject);
  if ('$async' in validate) throw new Error('$async is no keyword of JSON Schema');
  return validate;
}
