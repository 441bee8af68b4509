import { beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from './clock.js';

const START = 1_000_000;

describe('SystemClock', () => {
  let wall: number;
  let monotonic: number;
  let clock: SystemClock;
  beforeEach(() => {
    wall = START;
    monotonic = 5;
    clock = new SystemClock({ wall: () => wall, monotonic: () => monotonic });
  });

  function pass(ms: number): void {
    wall += ms;
    monotonic += ms;
  }

  it('begins with the wall clock and goes on with the monotonic one', () => {
    expect(clock.now()).toBe(START);
    pass(100);
    wall += 60_000;
    expect(clock.now()).toBe(START + 100);
  });

  it('follows another clock, whose answer was halfway', () => {
    clock.follow(START + 90_000, 20);
    expect(clock.now()).toBe(START + 90_010);
    pass(1_000);
    expect(clock.now()).toBe(START + 91_010);
  });

  it('goes back where it was far ahead', () => {
    expect(clock.now()).toBe(START);
    clock.follow(START - 90_000);
    expect(clock.now()).toBe(START - 90_000);
  });

  it('stands still where it was ahead by little', () => {
    clock.follow(START + 10, 20);
    expect(clock.now()).toBe(START + 20);
    clock.follow(START + 5);
    expect(clock.now()).toBe(START + 20);
    pass(16);
    expect(clock.now()).toBe(START + 21);
  });

  it('keeps what it knows better than a slow answer that agrees', () => {
    clock.follow(START, 2);
    pass(100);
    clock.follow(START, 200);
    expect(clock.now()).toBe(START + 101);
  });

  it('believes a slow answer that cannot agree: a clock was set', () => {
    clock.follow(START, 2);
    pass(100);
    clock.follow(START + 60_000, 200);
    expect(clock.now()).toBe(START + 60_100);
  });

  it('believes a slower answer once what it knew is old', () => {
    clock.follow(START, 2);
    pass(3_600_000);
    clock.follow(START + 3_600_000 - 900, 1_000);
    expect(clock.now()).toBe(START + 3_600_000 - 400);
  });

  it('tells once that the machine slept, or that its clock was set', () => {
    pass(10_000);
    expect(clock.hasJumped()).toBe(false);
    wall += 1_800_000;
    expect([clock.hasJumped(), clock.hasJumped()]).toEqual([true, false]);
    wall -= 600;
    expect([clock.hasJumped(), clock.hasJumped()]).toEqual([true, false]);
    pass(1_000);
    wall += 100;
    expect(clock.hasJumped()).toBe(false);
  });
});
