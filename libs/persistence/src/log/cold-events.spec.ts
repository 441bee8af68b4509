import { describe, expect, it } from '@jest/globals';
import { eventsOf, coldLineOf, type ColdEvent } from './cold-events.js';

const anEvent = (more: Partial<ColdEvent>): ColdEvent => ({
  seq: 1,
  epoch: null,
  storedAt: '2026-11-21T13:00:00.123456Z',
  body: '{"event":"run.notice"}',
  ...more,
});

describe('a line of a stored log', () => {
  it.each([
    ['an event of a worker', anEvent({ seq: 12_345_678_901, epoch: 7 })],
    ['a body that reads like the line around it', anEvent({ body: '{"a":",\\"body\\":","seq":9,"body":{"b":"}"}}' })],
    ['numbers and keys as they were written', anEvent({ body: '{"b":1.0,"2":1e3,"1":12345678901234567890}' })],
    ['ends of lines inside of a text', anEvent({ body: JSON.stringify({ a: 'x\n\r\u2028y' }) })],
  ])('keeps %s', (_what, event) => {
    const line = coldLineOf(event);
    expect(JSON.parse(line)).toMatchObject({ seq: event.seq, epoch: event.epoch, stored_at: event.storedAt });
    expect(eventsOf(`${line}\n`)).toEqual([event]);
  });

  it('is no other line', () => {
    expect(() => eventsOf('{"seq":1}\n')).toThrow(SyntaxError);
  });
});
