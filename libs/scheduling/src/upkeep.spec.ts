import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Election, type ElectionCalls } from './election.js';
import { Upkeep } from './upkeep.js';

/** Elects whoever the test says. */
class ByHand extends Election {
  calls: ElectionCalls | undefined;
  closed = false;

  start(calls: ElectionCalls): void {
    this.calls = calls;
  }

  resign(): void {
    this.calls?.lost();
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

describe('Upkeep', () => {
  const silent = { warn: () => undefined };
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());
  /** The turns of everybody whose moment comes within this time. */
  const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  it('does every chore again, and keeps none from its turn when another fails', async () => {
    const rounds = { good: 0, bad: 0 };
    const warnings: string[] = [];
    const upkeep = new Upkeep(
      [
        { name: 'good', everyMs: 5, run: async () => void rounds.good++ },
        { name: 'bad', everyMs: 5, run: async () => Promise.reject(new Error(`round ${++rounds.bad}`)) },
      ],
      { warn: (fields) => void warnings.push(String(fields.error)) },
    );
    upkeep.start();
    await pass(80);
    await upkeep.stop();
    expect(rounds.good).toBeGreaterThan(10);
    expect(warnings.slice(0, 2)).toEqual(['round 1', 'round 2']);
    const [good, bad] = upkeep.report();
    expect(good).toMatchObject({ name: 'good', everyMs: 5, failures: 0 });
    expect(bad).toMatchObject({ name: 'bad', everyMs: 5, failures: rounds.bad });
    expect(good!.lagMs).toBeLessThan(bad!.lagMs);
  });

  it('never does two rounds of one chore at a time, and waits for the last one when it stops', async () => {
    let running = 0;
    let most = 0;
    let done = 0;
    const run = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
      done++;
    };
    const upkeep = new Upkeep([{ name: 'slow', everyMs: 1, run }], silent);
    upkeep.start();
    upkeep.hurry('slow');
    await pass(30);
    let isOver = false;
    const stopping = upkeep.stop().then(() => (isOver = true));
    await pass(0);
    expect({ most, running, isOver }).toEqual({ most: 1, running: 1, isOver: false });
    await pass(20);
    await stopping;
    expect({ most, running, done }).toEqual({ most: 1, running: 0, done: 2 });
    await pass(40);
    expect(done).toBe(2);
  });

  it('does the chores of one process only while it leads, and reports those that it does', async () => {
    const rounds = { each: 0, one: 0 };
    const election = new ByHand();
    const upkeep = new Upkeep(
      [
        { name: 'each', everyMs: 5, run: async () => void rounds.each++ },
        { name: 'one', everyMs: 5, elected: true, run: async () => void rounds.one++ },
      ],
      silent,
      election,
    );
    const names = () => upkeep.report().map(({ name }) => name);
    upkeep.start();
    upkeep.hurry('one');
    await pass(30);
    expect([rounds.one, names()]).toEqual([0, ['each']]);
    election.calls!.elected();
    await pass(40);
    expect(rounds.one).toBeGreaterThan(1);
    expect(names()).toEqual(['each', 'one']);
    election.calls!.lost();
    await pass(10);
    const { one, each } = rounds;
    await pass(40);
    expect(rounds.one).toBe(one);
    expect(rounds.each).toBeGreaterThan(each);
    await upkeep.stop();
    expect(election.closed).toBe(true);
  });

  it('resigns when a chore of the leader keeps failing', async () => {
    const election = new ByHand();
    let rounds = 0;
    const failing = { name: 'one', everyMs: 1, elected: true, run: () => Promise.reject(new Error(`${++rounds}`)) };
    const upkeep = new Upkeep([failing], silent, election);
    upkeep.start();
    election.calls!.elected();
    await pass(60);
    expect(rounds).toBe(3);
    expect(upkeep.report()).toEqual([]);
    await upkeep.stop();
  });
});
