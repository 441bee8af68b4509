import { describe, expect, it } from '@jest/globals';
import type { ModelClient, ModelRequest } from '#libs/engine';
import { SimulatedModel } from '#libs/llm';

interface Subject {
  client: ModelClient;
  provider: string;
  model: string;
}

const subjects: [string, () => Subject][] = [
  ['simulated', () => ({ client: new SimulatedModel(), provider: 'simulated', model: 'simulated' })],
];

describe.each(subjects)('a model client, %s', (_name, newSubject) => {
  const { client, provider, model } = newSubject();
  const idle = { signal: new AbortController().signal };
  const asking = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
    ...{ provider, model, messages: [{ role: 'user', text }] },
    ...more,
  });

  it('serves its provider, and none that nobody knows', () => {
    expect([client.serves(provider), client.serves('nobody'), client.serves('')]).toEqual([true, false, false]);
  });

  it('gives an answer whose pieces are its text', async () => {
    const pieces: string[] = [];
    const { text } = await client.generate(asking('Count from one to thirty.'), {
      ...idle,
      onText: (piece) => void pieces.push(piece),
    });
    expect(text).not.toBe('');
    expect(pieces.join('')).toBe(text);
    expect(pieces).not.toContain('');
  });

  it('answers whoever does not listen to pieces', async () => {
    expect((await client.generate(asking('Say hello.'), idle)).text).not.toBe('');
  });

  it('counts tokens of five kinds that are disjoint, and pays with whole numbers', async () => {
    const { usage } = await client.generate(asking('Say hello.'), idle);
    const { total_tokens, total_usd_micros, ...kinds } = usage;
    expect(Object.values(kinds).every((count) => Number.isInteger(count) && count >= 0)).toBe(true);
    expect(Object.values(kinds).reduce((sum, count) => sum + count)).toBe(total_tokens);
    expect([kinds.input_tokens > 0, kinds.output_tokens > 0]).toEqual([true, true]);
    expect(total_usd_micros === null || Number.isInteger(total_usd_micros)).toBe(true);
  });

  it('counts what was said before as input', async () => {
    const alone = await client.generate(asking('And now?'), idle);
    const said = 'Remember these words. '.repeat(50);
    const messages: ModelRequest['messages'] = [
      { role: 'user', text: said },
      { role: 'assistant', text: 'I do.' },
      { role: 'user', text: 'And now?' },
    ];
    const input = ({ usage }: typeof alone): number => usage.input_tokens + usage.cache_read_tokens;
    const later = await client.generate(asking('', { messages, system: 'Be brief.' }), idle);
    expect(input(later)).toBeGreaterThan(input(alone) + 100);
  });

  it('answers with a JSON object where one is wanted', async () => {
    const { text } = await client.generate(
      asking('Answer with the JSON object {"ok": true}.', { format: 'json' }),
      idle,
    );
    expect(JSON.parse(text)).toEqual(expect.any(Object));
  });

  it('asks nobody when the call is over before it begins', async () => {
    const pieces: string[] = [];
    const call = client.generate(asking('Say hello.'), {
      signal: AbortSignal.abort(),
      onText: (piece) => void pieces.push(piece),
    });
    await expect(call).rejects.toThrow();
    expect(pieces).toEqual([]);
  });
});
