import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FakeWire } from '../../../../test/support/api/fake-wire.js';
import { frameOf } from './frame.js';
import { Outlet } from './outlet.js';

const frames = (count: number, json = '{}') =>
  Array.from({ length: count }, (_, index) => frameOf({ seq: index + 1, json, terminal: false }));

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
    expect(await outlet.send(frames(2, '{"a":1}'))).toBe(true);
    expect(wire.text).toBe('id: 1\ndata: {"a":1}\n\nid: 2\ndata: {"a":1}\n\n');
  });

  it('waits when 1,000 events wait for the client, and goes on when it takes them', async () => {
    wire.awake = false;
    expect(await outlet.send(frames(999))).toBe(true);
    const sending = outlet.send(frames(1));
    await jest.advanceTimersByTimeAsync(4_000);
    wire.wake();
    expect(await sending).toBe(true);
    expect(outlet.closed).toBe(false);
  });

  it('cuts a client that makes no room for five seconds', async () => {
    wire.awake = false;
    const sending = outlet.send(frames(1_000));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await sending).toBe(false);
    expect(wire.wasCut).toBe(true);
  });

  it('holds no more than 256 KiB and the chunk that crosses the line', async () => {
    wire.awake = false;
    const sending = outlet.send(frames(500, 'x'.repeat(10_000)));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await sending).toBe(false);
    expect(wire.text.length).toBeLessThan((256 + 80) * 1024);
  });

  it('stops at once when the client leaves while it waits', async () => {
    wire.awake = false;
    const sending = outlet.send(frames(2_000));
    wire.leave();
    expect(await sending).toBe(false);
    expect(wire.wasCut).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('beats with a comment while nothing else is under way', async () => {
    outlet.beat();
    expect(wire.text).toBe(': still here\n\n');
    wire.awake = false;
    await outlet.send(frames(1));
    const before = wire.text;
    outlet.beat();
    expect(wire.text).toBe(before);
  });

  it('ends once and sends nothing afterwards', async () => {
    outlet.end();
    outlet.end();
    outlet.beat();
    expect(await outlet.send(frames(1))).toBe(false);
    expect(wire).toMatchObject({ ended: true, text: '' });
  });
});
