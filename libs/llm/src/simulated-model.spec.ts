import { describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { ModelError, type ModelAnswer, type ModelRequest } from '#libs/engine';
import { SimulatedModel } from './simulated-model.js';

const model = new SimulatedModel();
const asking = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  provider: 'simulated',
  model: 'simulated',
  messages: [{ role: 'user', text }],
  ...more,
});
const ask = (text: string, more?: Partial<ModelRequest>): Promise<ModelAnswer> =>
  model.generate(asking(text, more), { signal: new AbortController().signal });

describe('the simulated model', () => {
  it('serves nobody else', () => {
    expect(['simulated', 'anthropic', ''].map((name) => model.serves(name))).toEqual([true, false, false]);
  });

  it('answers the same question always in the same way, and for nothing', async () => {
    const answer = await ask('What now?');
    expect(await ask('What now?')).toEqual(answer);
    expect(answer).toMatchObject({
      text: '[Simulated] Answer 1 to a prompt of 9 characters.',
      usage: { input_tokens: 3, output_tokens: 13, total_tokens: 16, total_usd_micros: 0 },
    });
  });

  it.each([
    ['a text', 'simulate: {"text":"Ship it"}', 'Ship it'],
    ['a value', 'Choose.\nsimulate: {"json":{"outcome":"failed"}}\nThanks.', '{"outcome":"failed"}'],
    ['a text that is no JSON', 'Judge it.\nsimulate:  Looks good. \nThanks.', 'Looks good.'],
    ['a text again and again', 'simulate: {"text":"ho ","times":3}', 'ho ho ho '],
  ])('answers %s that it is told', async (_, question, text) => {
    expect((await ask(question)).text).toBe(text);
  });

  it('answers an object where one is wanted', async () => {
    expect(JSON.parse((await ask('x', { format: 'json' })).text)).toEqual({ outcome: 'succeeded' });
  });

  it('gives its answer in pieces', async () => {
    const pieces: string[] = [];
    const long = 'a'.repeat(100);
    const observer = { signal: new AbortController().signal, onText: (piece: string) => void pieces.push(piece) };
    await model.generate(asking(`simulate: {"text":"${long}","pace_ms":1}`), observer);
    expect(pieces.map(({ length }) => length)).toEqual([32, 32, 32, 4]);
    expect(pieces.join('')).toBe(long);
  });

  it('rests between two pieces for as long as it is told', async () => {
    const stop = new AbortController();
    const pieces: string[] = [];
    const observer = { signal: stop.signal, onText: (piece: string) => void pieces.push(piece) };
    const answer = model.generate(asking(`simulate: {"text":"${'a'.repeat(100)}","pace_ms":60000}`), observer);
    while (pieces.length === 0) await setImmediate();
    await setImmediate();
    stop.abort(new Error('enough'));
    await expect(answer).rejects.toThrow();
    expect(pieces.map(({ length }) => length)).toEqual([32]);
  });

  it.each([
    ['simulate: {"fail":"overloaded","transient":true}', true, 'transient_infra'],
    ['simulate: {"fail":"refused"}', false, 'deterministic'],
    ['simulate: {broken}', false, 'deterministic'],
    [`simulate: {"json":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, false, 'deterministic'],
    ['simulate: {"text":"one\ntwo"}', false, 'deterministic'],
  ])('fails as it is told: %s', async (question, retryable, category) => {
    const failure = await ask(question).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ModelError);
    expect(failure).toMatchObject({ retryable, category });
  });

  it('stops thinking when nobody waits any more', async () => {
    const abort = new AbortController();
    const answer = model.generate(asking('simulate: {"delay_ms":60000}'), { signal: abort.signal });
    abort.abort();
    await expect(answer).rejects.toThrow(/abort/i);
  });
});
