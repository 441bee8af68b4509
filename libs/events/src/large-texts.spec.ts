import { expect, it } from '@jest/globals';
import { jsonBytes } from '#libs/kernel';
import { encodeEvent, stamp } from './codec.js';
import type { RunEvent, StampedEvent } from './envelope.js';
import { largeTextIn, withoutLargeText } from './large-texts.js';
import { MAX_EVENT_BYTES, MAX_PHRASE_BYTES, MAX_VALUE_BYTES } from './limits.js';

const LARGE = 300 * 1024;
const billing = {
  ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  ...{ reasoning_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
};
const model = { provider: 'p', model_id: 'm' };
const BLOB = `blob://sha256/${'0'.repeat(64)}`;

const holding: Record<string, (text: string) => RunEvent> = {
  'stage.prompt': (text) => ({
    event: 'stage.prompt',
    properties: { visit: 1, text, mode: 'agent', provider: 'p', model: 'm' },
  }),
  'prompt.completed': (response) => ({
    event: 'prompt.completed',
    properties: { response, model: 'm', provider: 'p', billing },
  }),
  'agent.message': (text) => ({
    event: 'agent.message',
    properties: { visit: 1, text, model, billing, tool_call_count: 0 },
  }),
  'command.started': (script) => ({
    event: 'command.started',
    properties: { script, command: 'bash -c', language: 'shell', timeout_ms: 1 },
  }),
};
const all = Object.values(holding);
const stored = (event: StampedEvent): number =>
  Buffer.byteLength(encodeEvent('01J0000000000000000000000A', event).body);

it.each(all)('a text that fits stays where it is (%#)', (event) => {
  expect(largeTextIn(event('x'.repeat(MAX_VALUE_BYTES - 2)))).toBeUndefined();
  expect(stored(stamp(event('\u0001'.repeat(MAX_VALUE_BYTES / 7)), 0))).toBeLessThan(MAX_EVENT_BYTES);
});

it.each(all)('a large text leaves its beginning, its size and its reference (%#)', (event) => {
  const whole = 'é'.repeat(LARGE);
  const stamped = stamp(event(whole), 0);
  expect(largeTextIn(stamped)).toBe(whole);
  const { properties, ...rest } = withoutLargeText(stamped, BLOB);
  const { properties: before, ...same } = stamped;
  expect(rest).toEqual(same);
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(before)));
  const [name, shown] = Object.entries<unknown>({ ...properties }).find(([, value]) => String(value).startsWith('é'))!;
  expect(jsonBytes(String(shown))).toBeLessThanOrEqual(MAX_PHRASE_BYTES);
  expect(properties).toMatchObject({ [`${name}_bytes`]: 2 * LARGE, [`${name}_blob`]: BLOB });
});

it('a text whose whole is kept nowhere says only how large it was', () => {
  const { properties } = withoutLargeText(stamp(holding['stage.prompt']!('x'.repeat(LARGE)), 0), undefined);
  expect(properties).toMatchObject({ text_bytes: LARGE });
  expect(properties).not.toHaveProperty('text_blob');
});

it('counts bytes of JSON, not characters', () => {
  const escaped = '\u0001'.repeat(MAX_VALUE_BYTES / 5);
  const event = stamp(holding['agent.message']!(escaped), 0);
  expect(largeTextIn(event)).toBe(escaped);
  expect(stored(withoutLargeText(event, BLOB))).toBeLessThan(16 * 1024);
});

it('other events are as they are', () => {
  const event = stamp({ event: 'run.title.updated', properties: { title: 'x'.repeat(LARGE) } }, 0);
  expect(largeTextIn(event)).toBeUndefined();
  expect(withoutLargeText(event, BLOB)).toBe(event);
});
