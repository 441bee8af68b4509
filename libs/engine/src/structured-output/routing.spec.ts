import { describe, expect, it } from '@jest/globals';
import { outputContract } from './output-contract.js';
import type { Report } from './reading.js';
import { lenientRouting } from './routing.js';

const contract = outputContract(' routing\n', 'build');
const read = (output: string) => contract.read(output);
const reports = (report: Partial<Report>) => ({ ok: true, report: { status: 'succeeded', ...report } });

describe('an output_schema of "routing"', () => {
  it.each<[string, Partial<Report>]>([
    ['{"preferred_next_label":"Ship it"}', { preferredLabel: 'Ship it' }],
    ['{"outcome":"partially_succeeded"}', { status: 'partially_succeeded' }],
    ['{"outcome":"skipped","failure_reason":"ignored"}', { status: 'skipped' }],
    ['{"suggested_next_ids":["b","a"]}', { suggestedNextIds: ['b', 'a'] }],
    ['{"suggested_next_ids":[]}', {}],
    ['{"context_updates":{"k":{"deep":[1]}}}', { contextUpdates: { k: { deep: [1] } } }],
    ['{"failure_reason":"of nothing"}', {}],
    ['{"outcome":"succeeded","further":{"members":"are free"}}', {}],
  ])('reads %s', (output, report) => {
    expect(read(output)).toEqual(reports(report));
  });

  it.each([
    ['{"outcome":"failed","failure_reason":"two tests fail"}', 'two tests fail'],
    ['{"outcome":"failed"}', 'The output reports a failure and no reason for it.'],
    ['{"outcome":"failed","failure_reason":""}', 'The output reports a failure and no reason for it.'],
  ])('takes a failure for one that will not pass: %s', (output, message) => {
    expect(read(output)).toEqual(reports({ status: 'failed', failure: { message, category: 'deterministic' } }));
  });

  it('leaves the keys of the engine alone', () => {
    const keys = ['internal.run_id', 'graph.goal', 'thread.t.current_node', 'current_node', 'currently', 'internals'];
    const updates = Object.fromEntries(keys.map((key) => [key, 1]));
    expect(read(JSON.stringify({ context_updates: updates }))).toEqual(reports({ contextUpdates: { internals: 1 } }));
  });

  it('makes what it reads safe to store', () => {
    expect(read('{"preferred_next_label":"a\\u0000\\ud800"}')).toEqual(reports({ preferredLabel: 'a\uFFFD\uFFFD' }));
    const noise = `"${'\\"]'.repeat(1_000)}"`;
    const deep = `{"context_updates":{"noise":${noise},"k":${'['.repeat(90_000)}${']'.repeat(90_000)}}}`;
    expect(JSON.stringify(read(deep))).toMatch(/"k":\[{62}null\]{62}/);
  });

  it('takes the last object that has a routing field, whatever stands around it', () => {
    const output = 'First {"outcome":"failed"}, now {"outcome":"skipped"}! {not JSON} {"further":{"outcome":"failed"}}';
    expect(read(output)).toEqual(reports({ status: 'skipped' }));
  });

  it.each([
    ['no object', 'all is well', 'no JSON object found'],
    [
      'one that begins too early',
      `{"outcome": "${'x'.repeat(8 * 1024 * 1024)}"}`,
      'no JSON object found in its last 8 MiB',
    ],
    ['none with a routing field', '{"result":1} {x}', 'no JSON object contained any recognized routing field'],
    [
      'a field only further down',
      '{"a":{"outcome":"failed"}}',
      'no JSON object contained any recognized routing field',
    ],
  ])('is missing from an output with %s', (_, output, issue) => {
    expect(read(output)).toEqual({ ok: false, kind: 'missing', issues: [issue] });
  });

  it('is broken when the last object with a quoted field is no JSON, even behind a good one', () => {
    expect(read('{"outcome":"succeeded"} {"outcome":"failed",} {"other":1}')).toEqual({
      ok: false,
      kind: 'invalid',
      issues: [expect.stringMatching(/^the routing object is not valid JSON: /)],
    });
  });

  it('says of every bad member what it must be', () => {
    const output = {
      preferred_next_label: null,
      outcome: 'FAILED',
      failure_reason: 1,
      suggested_next_ids: ['a', 2],
      context_updates: [],
    };
    expect(read(JSON.stringify(output))).toEqual({
      ok: false,
      kind: 'invalid',
      issues: [
        '/preferred_next_label must be a string',
        '/outcome must be one of "succeeded", "partially_succeeded", "failed", "skipped"',
        '/failure_reason must be a string',
        '/suggested_next_ids must be an array of strings',
        '/context_updates must be an object',
      ],
    });
  });
});

describe('lenientRouting', () => {
  it('reads the last routing object', () => {
    const output = '{"outcome":"failed"} {"outcome":"skipped","context_updates":{"k":1,"internal.k":2}} {"a":1}';
    expect(lenientRouting(output)).toEqual({ status: 'skipped', contextUpdates: { k: 1 } });
  });

  it('passes over what is invalid in it, and over objects that are no JSON', () => {
    const output = '{"outcome":"good","suggested_next_ids":"b","preferred_next_label":"Go"} {"outcome":}';
    expect(lenientRouting(output)).toEqual({ status: 'succeeded', preferredLabel: 'Go' });
  });

  it.each(['', 'fine', '{"a":1}'])('finds none in %j', (output) => {
    expect(lenientRouting(output)).toBeUndefined();
  });
});
