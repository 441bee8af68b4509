import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json } from '#libs/kernel';
import { decodeEvent, encodeEvent, EventTooLargeError, isKnown, isTerminalEvent, stamp, withSeq } from './codec.js';
import type { RunEvent, UnknownEvent } from './envelope.js';

const RUN_ID = '01J0000000000000000000000A';
const NOON = Date.UTC(2030, 0, 1, 12);

const notice = (message: string): RunEvent => ({
  event: 'run.notice',
  node_id: 'build',
  properties: { level: 'info', code: 'hint', message },
});

describe('stamp', () => {
  it('gives an event its time and an id that no other has', () => {
    const [one, two] = [stamp(notice('x'), NOON), stamp(notice('x'), NOON)];
    expect(one.ts).toBe('2030-01-01T12:00:00.000Z');
    expect(one.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(two.id).not.toBe(one.id);
  });
});

describe('an encoded event', () => {
  it('is decoded to what readers see: the event, its run, its seq', () => {
    const stamped = stamp(notice('slow disk'), NOON);
    const { body, unnumbered, ...row } = encodeEvent(RUN_ID, stamped);
    expect(row).toEqual({ id: stamped.id, event: 'run.notice', ts: stamped.ts });
    expect(decodeEvent(7, body)).toEqual({ ...stamped, seq: 7, run_id: RUN_ID });
    expect(decodeEvent(7, body)).toEqual({ ...unnumbered, seq: 7 });
  });

  it('is sent as it is stored, with the seq in front', () => {
    const { id, body } = encodeEvent(RUN_ID, stamp(notice('x'), NOON));
    const sent = withSeq(12, body);
    expect(sent.startsWith(`{"seq":12,"id":"${id}",`)).toBe(true);
    expect(Object.keys(JSON.parse(sent) as object)).toEqual([
      ...['seq', 'id', 'ts', 'run_id', 'event', 'node_id', 'properties'],
    ]);
  });

  it('holds nothing that a database refuses', () => {
    const { body, unnumbered } = encodeEvent(RUN_ID, stamp(notice('a\u0000b\ud800c\udc00\u{1f600}'), NOON));
    expect(decodeEvent(1, body)).toEqual({ ...unnumbered, seq: 1 });
    expect(decodeEvent(1, body).properties).toMatchObject({ message: 'a\ufffdb\ufffdc\ufffd\u{1f600}' });
    expect(body).not.toMatch(/\\u0000|\\ud800/);
  });

  it('is cut where values nest too deep, and only there', () => {
    const nested = (levels: number): Json => (levels === 0 ? ']}' : { inside: [nested(levels - 1)] });
    const stored = (values: Record<string, Json>) => {
      const event: RunEvent = { event: 'context.edited', properties: { values } };
      return decodeEvent(1, encodeEvent(RUN_ID, stamp(event, NOON)).body).properties;
    };
    const wide = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`key${i}`, [{ i }]]));
    expect(stored(wide)).toMatchObject({ values: wide });
    expect(stored({ deep: nested(30) })).toMatchObject({ values: { deep: nested(30) } });
    expect(JSON.stringify(stored({ deep: nested(40) }))).toMatch(/null/);
  });

  it('leaves out what is undefined', () => {
    const event = { ...notice('x'), stage_id: undefined } as unknown as RunEvent;
    expect(decodeEvent(1, encodeEvent(RUN_ID, stamp(event, NOON)).body)).not.toHaveProperty('stage_id');
  });

  it('keeps any value that JSON can say, under any key', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (values) => {
        const context_updates = { ...values, ['__proto__' as string]: 1 } as Record<string, Json>;
        const timing = { wall_time_ms: 0, inference_time_ms: 0, tool_time_ms: 0, active_time_ms: 0 };
        const properties = {
          index: 0,
          attempt: 1,
          max_attempts: 1,
          timing,
          status: 'succeeded',
          context_updates,
        } as const;
        const event = stamp({ event: 'stage.completed', properties }, NOON);
        const { body } = encodeEvent(RUN_ID, event);
        expect(body).not.toContain('\\u0000');
        expect(Object.keys(JSON.parse(withSeq(1, body)) as object)).toContain('properties');
        if (!JSON.stringify(context_updates).includes('\\u0000')) {
          expect((decodeEvent(1, body) as typeof event).properties).toEqual(JSON.parse(JSON.stringify(properties)));
        }
      }),
    );
  });

  it('may be 256 KiB and no more, in bytes', () => {
    const overhead = Buffer.byteLength(encodeEvent(RUN_ID, stamp(notice(''), NOON)).body);
    const room = 256 * 1024 - overhead;
    expect(Buffer.byteLength(encodeEvent(RUN_ID, stamp(notice('x'.repeat(room)), NOON)).body)).toBe(256 * 1024);
    expect(() => encodeEvent(RUN_ID, stamp(notice('x'.repeat(room + 1)), NOON))).toThrow(EventTooLargeError);
    expect(() => encodeEvent(RUN_ID, stamp(notice('€'.repeat(room / 2)), NOON))).toThrow(
      /A run.notice event of \d+ bytes is larger than an event may be; at most 262144 are stored\./,
    );
  });
});

describe('an event of a newer version', () => {
  const body = '{"id":"1","ts":"t","run_id":"r","event":"stage.teleported","stage_id":"a@1","properties":{"to":"b"}}';

  it('is kept as it is', () => {
    expect(decodeEvent(3, body)).toEqual({ seq: 3, ...(JSON.parse(body) as object) });
  });

  it('is told from those of this version', () => {
    expect(isKnown(decodeEvent(3, body))).toBe(false);
    expect(isKnown(stamp(notice('x'), NOON))).toBe(true);
    for (const event of ['constructor', '__proto__', 'toString', '']) {
      expect(isKnown({ event, properties: {}, id: '1', ts: 't' } satisfies UnknownEvent)).toBe(false);
    }
  });
});

it.each([
  ['run.completed', true],
  ['run.failed', true],
  ['run.removing', false],
  ['stage.failed', false],
  ['run.parked', false],
])('a log ends with %s: %s', (name, ends) => {
  expect(isTerminalEvent(name)).toBe(ends);
});
