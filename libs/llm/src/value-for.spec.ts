import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '#libs/kernel';
import { valueFor } from './value-for.js';

const ISSUE: JsonObject = {
  type: 'object',
  properties: {
    kind: { enum: ['bug', 'feature'] },
    area: { type: 'string', pattern: '^[a-z]{3,8}$' },
    votes: { type: 'integer', minimum: 3, maximum: 9 },
    tags: { type: 'array', items: { $ref: '#/$defs/tag' }, minItems: 2, uniqueItems: true },
  },
  required: ['kind', 'area', 'votes', 'tags'],
  additionalProperties: false,
  $defs: { tag: { type: 'string', minLength: 3 } },
};

const object = (part: JsonObject): JsonObject => ({ type: 'object', properties: { part }, required: ['part'] });

describe('a value for a schema', () => {
  it('fits it, and is the same for the same question', () => {
    const fits = new Ajv2020({ strict: false }).compile(ISSUE);
    const questions = Array.from({ length: 50 }, (_, i) => `Question ${i}`);
    const values = questions.map((question) => valueFor(ISSUE, question));
    expect(values.map((value) => [fits(value), fits.errors])).toEqual(values.map(() => [true, null]));
    expect(questions.map((question) => valueFor(ISSUE, question))).toEqual(values);
    expect(new Set(values.map((value) => JSON.stringify(value))).size).toBeGreaterThan(10);
  });

  it.each<[string, JsonObject]>([
    ['refers to another document', object({ $ref: 'https://example.com/schema' })],
    ['asks for too many items', object({ type: 'array', minItems: 1e9, items: { type: 'integer' } })],
    ['asks for too many members', object({ type: 'object', minProperties: 1e9 })],
    ['asks for a text that is too long', object({ type: 'string', minLength: 1e10 })],
    ['asks for no object', { type: 'array' }],
  ])('is refused before anything is made where the schema %s', (_, schema) => {
    expect(() => valueFor(schema, 'x')).toThrow(/cannot make up an answer .* "simulate: …"/);
  });
});
