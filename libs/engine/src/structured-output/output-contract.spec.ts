import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json } from '#libs/kernel';
import { correctionText, InvalidOutputSchemaError, outputContract } from './output-contract.js';
import { growth, IN_PROPORTION } from '../../../../test/support/growth.js';

const contractOf = (schema: Json) => outputContract(JSON.stringify(schema), 'build');
const issuesOf = (schema: Json, value: Json) => {
  const reading = contractOf(schema).read(JSON.stringify(value));
  return reading.ok ? [] : reading.issues;
};

describe('an output_schema that is a JSON Schema', () => {
  it('keeps the last object that is JSON under the key of the node', () => {
    expect(contractOf({ required: ['n'] }).read('{"n":1} then {"n":2}, {that is all}')).toEqual({
      ok: true,
      report: { status: 'succeeded', contextUpdates: { 'output.build': { n: 2 } } },
    });
  });

  it('tries no earlier object when that one is invalid', () => {
    expect(contractOf({ required: ['n'] }).read('{"n":1} {"m":2}')).toEqual({
      ok: false,
      kind: 'invalid',
      issues: ["the object must have required property 'n'"],
    });
  });

  it('says when there is no object, or none that is JSON', () => {
    expect(contractOf({}).read('[1, 2]')).toEqual({ ok: false, kind: 'missing', issues: ['no JSON object found'] });
    expect(contractOf({}).read('{a} {"b":}')).toMatchObject({
      kind: 'invalid',
      issues: [expect.stringMatching(/^no object is valid JSON: Unexpected token/)],
    });
  });

  it.each<[string, Json, Json, string[]]>([
    [
      'where it is wrong',
      { properties: { 'a/b': { items: { type: 'string' } } } },
      { 'a/b': ['x', 1] },
      ['/a~1b/1 must be string'],
    ],
    [
      'what may be there',
      { properties: { a: { enum: ['x', 2] } } },
      { a: 1 },
      ['/a must be equal to one of the allowed values: ["x",2]'],
    ],
    ['what must be there', { properties: { a: { const: true } } }, { a: 1 }, ['/a must be equal to constant: true']],
    [
      'what may not',
      { additionalProperties: false },
      { b: 1 },
      ['the object must NOT have additional properties: "b"'],
    ],
    [
      'what may not either',
      { unevaluatedProperties: false },
      { b: 1 },
      ['the object must NOT have unevaluated properties: "b"'],
    ],
  ])('says %s', (_, schema, value, issues) => {
    expect(issuesOf(schema, value)).toEqual(issues);
  });

  it('reports at most five issues, none of them long', () => {
    const schema = { additionalProperties: { type: 'string' } };
    const names = Array.from({ length: 9 }, (_, n) => `${n}${'x'.repeat(1_000)}`);
    const issues = issuesOf(schema, Object.fromEntries(names.map((name) => [name, 1])));
    expect(issues.map((issue) => issue.length)).toEqual([300, 300, 300, 300, 300]);
  });

  it('does not take what every object inherits for a property of this one', () => {
    expect(issuesOf({ required: ['toString'] }, {})).toHaveLength(1);
  });

  it.each([
    [
      '2020-12 by itself',
      { $defs: { s: { type: 'string' } }, properties: { a: { prefixItems: [{ $ref: '#/$defs/s' }] } } },
    ],
    [
      '2019-09',
      { $schema: 'https://json-schema.org/draft/2019-09/schema', properties: { a: { items: [{ type: 'string' }] } } },
    ],
    [
      'draft-07',
      { $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: { items: [{ type: 'string' }] } } },
    ],
    [
      'draft-06',
      { $schema: 'http://json-schema.org/draft-06/schema#', properties: { a: { items: [{ type: 'string' }] } } },
    ],
  ])('speaks %s', (_, schema) => {
    expect(issuesOf(schema, { a: ['x', 1] })).toEqual([]);
    expect(issuesOf(schema, { a: [1] })).toEqual(['/a/0 must be string']);
  });

  it('takes formats and unknown keywords for remarks', () => {
    expect(issuesOf({ properties: { a: { format: 'date', remark: 1 } } }, { a: 'today' })).toEqual([]);
  });

  it.each([
    ['no JSON', 'routing!', /Unexpected token/],
    ['the empty text', ' ', /Unexpected end/],
    ['no object', '["routing"]', /it is neither the word routing nor a JSON Schema object$/],
    ['no schema', '{"type":"text"}', /schema is invalid: data\/type must be/],
    [
      'a reference to elsewhere',
      '{"$ref":"https://example.org/s.json"}',
      /can't resolve reference https:\/\/example.org\/s.json/,
    ],
    [
      'an unknown dialect',
      '{"$schema":"http://json-schema.org/draft-04/schema#"}',
      /\$schema is "http.*draft-04\/schema#", and none of https/,
    ],
    ['a dialect without a name', '{"$schema":7}', /\$schema is 7, and none of/],
    ['a pattern beyond RE2', '{"pattern":"(?=a)"}', /error parsing regexp: .*`\(\?=`/],
    ['a keyword that would make it wait', '{"$async":true}', /\$async is no keyword/],
  ])('is refused for the node when it is %s', (_, schema, why) => {
    const contract = () => outputContract(schema, 'build');
    expect(contract).toThrow(InvalidOutputSchemaError);
    expect(contract).toThrow(/^Invalid output_schema for node "build": /);
    expect(contract).toThrow(why);
  });

  it('tells the patterns of one schema apart, and reads them as ECMAScript writes them', () => {
    const schema = { properties: { a: { pattern: '^\\u0041$' }, b: { pattern: '^\\/b' } } };
    expect(issuesOf(schema, { a: 'A', b: '/b' })).toEqual([]);
    expect(issuesOf(schema, { a: '/b', b: 'A' })).toHaveLength(2);
  });

  it('is compiled once', () => {
    const text = '{"title":"compiled once"}';
    expect(outputContract(text, 'a').jsonSchema).toBe(outputContract(text, 'b').jsonSchema);
  });

  describe('written to keep a worker busy', () => {
    const bomb = (keyword: string, levels: number) => ({
      $defs: Object.fromEntries(
        Array.from({ length: levels }, (_, n) => [
          `d${n}`,
          n === 0 ? { type: 'string' } : { [keyword]: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] },
        ]),
      ),
      properties: { a: { $ref: `#/$defs/d${levels - 1}` } },
    });

    it('runs no pattern that takes more time than the text is long', () => {
      const matching = (length: number) => () =>
        issuesOf({ properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(length)}!` });
      expect(growth(matching, 50_000)).toBeLessThan(IN_PROPORTION);
    });

    it('is given up after a while', () => {
      expect(issuesOf(bomb('anyOf', 40), { a: 1 })).toEqual([
        'the schema cannot be applied: this takes longer than 1000 ms',
      ]);
    });

    it('decides by the first error where listing all of them takes too long', () => {
      expect(issuesOf(bomb('allOf', 40), { a: 1 })).toEqual(['/a must be string']);
    });

    it('fails when it goes round in a circle', () => {
      expect(issuesOf({ allOf: [{ $ref: '#' }] }, {})).toEqual([
        'the schema cannot be applied: Maximum call stack size exceeded',
      ]);
    });
  });
});

it.each(['routing', '{"required":["a"]}'])('no output makes a reading throw (%s)', (schema) => {
  const part = fc.constantFrom('{', '}', '"', '\\', '"a":1', ',', '"outcome":', '"failed"', '{"__proto__":{}}', ' ');
  const contract = outputContract(schema, 'build');
  fc.assert(
    fc.property(fc.array(fc.oneof(part, fc.string())), (parts) => {
      const reading = contract.read(parts.join(''));
      expect(reading.ok || reading.issues.length > 0).toBe(true);
    }),
  );
});

describe('what a model is told', () => {
  it('names the members of a routing object', () => {
    expect(outputContract('routing', 'build').expectation).toMatch(
      /^End your response with one JSON object .*\n- "preferred_next_label": a string, the label of the edge to take\n- "outcome": one of "succeeded"/,
    );
  });

  it('quotes the schema', () => {
    expect(outputContract(' {"title": "T"}\n', 'build').expectation).toBe(
      'End your response with one JSON object that is valid under this JSON Schema:\n\n{"title": "T"}',
    );
  });

  it('lists what was wrong, repeats what is expected, and asks for nothing else', () => {
    expect(correctionText(outputContract('{}', 'build'), ['/a must be string', '/b must be integer'])).toBe(
      `Your response does not satisfy the output schema:
- /a must be string
- /b must be integer

End your response with one JSON object that is valid under this JSON Schema:

{}

Answer with only the corrected JSON object.`,
    );
  });
});
