import { expect, it } from '@jest/globals';
import type { RunState } from '#libs/engine';
import { MAX_VALUES_BYTES } from '#libs/events';
import { ContextRoom } from './context-room.js';

const KIB = 1024;
const MIB = 1024 * KIB;

function stateWith(...bytes: number[]): RunState {
  const cursors = bytes.map((length, index) => [String(index), { context: { value: 'x'.repeat(length) } }] as const);
  return { cursors: Object.fromEntries(cursors) } as unknown as RunState;
}

it('is enough for every value that an event takes, until the paths of a run hold 4 MiB of them', () => {
  const paths = [10];
  const room = new ContextRoom(() => stateWith(...paths));
  for (let stages = 0; stages < 41; stages++) {
    expect(room.forNextStage).toBe(MAX_VALUES_BYTES);
    room.took(100 * KIB);
    paths.push(100 * KIB);
  }
  expect(room.forNextStage).toBe(8 * KIB);
});

it('counts what a run holds when its worker opens it', () => {
  expect(new ContextRoom(() => stateWith(3 * MIB, 2 * MIB)).forNextStage).toBe(8 * KIB);
});

it('comes back where values were overwritten', () => {
  const room = new ContextRoom(() => stateWith(100 * KIB));
  for (let stages = 0; stages < 100; stages++) {
    expect(room.forNextStage).toBe(MAX_VALUES_BYTES);
    room.took(100 * KIB);
  }
});

it('is none where even small values are too many', () => {
  const full = new ContextRoom(() => stateWith(17 * MIB));
  expect(() => full.forNextStage).toThrow(
    'The context of this run holds more than 16777216 bytes of small values; write',
  );
});
