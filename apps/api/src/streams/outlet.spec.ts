import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FakeWire } from '../../../../test/support/api/fake-wire.js';
import { type LogChunk } from './feed.js';
import { frameOf } from './frame.js';
import { Outlet } from './outlet.js';

/** So many events as one piece. */
function piece(count: number, json = '{}'): LogChunk {
  const frames = Array.from({ length: count }, (_, index) => frameOf({ seq: index + 1, json, terminal: false }));
  return { bytes: Buffer.concat(frames), events: count, next: count + 1 };
}

let wire: FakeWire;
let outlet: Outlet;
beforeEach(() => {
  jest.useFakeTimers();
  wire = new FakeWire();
  outlet = new Outlet(wire);
});
afterEach(() => {
  jest.useRealTimers();
});

describe('an outlet', () => {
  it('writes frames with an id and data, and no event line', async () => {
    await outlet.send(piece(2, '{"a":1}'));
    expect(wire.text).toBe('id: 1\ndata: {"a":1}\n\nid: 2\ndata: {"a":1}\n\n');
  });

  it('waits when 1,000 events wait for the client, and goes on when it takes them', async () => {
    wire.awake = false;
    await outlet.send(piece(999));
    let sent = false;
    const sending = outlet.send(piece(1)).then(() => (sent = true));
    await jest.advanceTimersByTimeAsync(4_000);
    expect(sent).toBe(false);
    wire.wake();
    await sending;
    expect(outlet.closed).toBe(false);
  });

  it('cuts a client that makes no room for five seconds', async () => {
    wire.awake = false;
    const sending = outlet.send(piece(1_000));
    await jest.advanceTimersByTimeAsync(5_000);
    await sending;
    expect(outlet.closed).toBe(true);
    expect(wire.wasCut).toBe(true);
  });

  it('waits when 256 KiB wait for the client', async () => {
    wire.awake = false;
    for (let sent = 0; sent < 3; sent += 1) await outlet.send(piece(10, 'x'.repeat(8_000)));
    const sending = outlet.send(piece(10, 'x'.repeat(8_000)));
    await jest.advanceTimersByTimeAsync(5_000);
    await sending;
    expect(wire.wasCut).toBe(true);
  });

  it('drops what is only offered once 64 KiB wait, and never waits for it', () => {
    wire.awake = false;
    for (let offered = 0; offered < 100; offered += 1) outlet.offer(Buffer.alloc(10_000, '.'));
    expect(wire.text).toHaveLength(70_000);
    wire.wake();
    outlet.offer(Buffer.from('again'));
    expect(wire.text.endsWith('again')).toBe(true);
  });

  it('stops at once when the client leaves while it waits', async () => {
    wire.awake = false;
    const sending = outlet.send(piece(2_000));
    wire.leave();
    await sending;
    expect(outlet.closed).toBe(true);
    expect(wire.wasCut).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('beats with a comment while nothing else is under way', async () => {
    outlet.beat();
    expect(wire.text).toBe(': still here\n\n');
    wire.awake = false;
    await outlet.send(piece(1));
    const before = wire.text;
    outlet.beat();
    expect(wire.text).toBe(before);
  });

  it('ends once and sends nothing afterwards', async () => {
    outlet.end();
    outlet.end();
    outlet.beat();
    outlet.offer(Buffer.from('late'));
    await outlet.send(piece(1));
    expect(wire).toMatchObject({ ended: true, text: '' });
  });

  it('gives a client five seconds to take what was sent before the end', async () => {
    wire.awake = false;
    await outlet.send(piece(10));
    outlet.end();
    await jest.advanceTimersByTimeAsync(4_999);
    expect(wire).toMatchObject({ ended: true, wasCut: false });
    await jest.advanceTimersByTimeAsync(1);
    expect(wire.wasCut).toBe(true);
  });
});
