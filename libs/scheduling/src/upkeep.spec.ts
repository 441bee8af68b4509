import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
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
    await sleep(80);
    await upkeep.stop();
    expect(rounds.good).toBeGreaterThan(2);
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
      await sleep(20);
      running--;
      done++;
    };
    const upkeep = new Upkeep([{ name: 'slow', everyMs: 1, run }], silent);
    upkeep.start();
    upkeep.hurry('slow');
    await sleep(30);
    await upkeep.stop();
    expect({ most, running }).toEqual({ most: 1, running: 0 });
    const before = done;
    await sleep(40);
    expect(done).toBe(before);
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
    await sleep(30);
    expect([rounds.one, names()]).toEqual([0, ['each']]);
    election.calls!.elected();
    await sleep(40);
    expect(rounds.one).toBeGreaterThan(1);
    expect(names()).toEqual(['each', 'one']);
    election.calls!.lost();
    await sleep(10);
    const { one, each } = rounds;
    await sleep(40);
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
    await sleep(60);
    expect(rounds).toBe(3);
    expect(upkeep.report()).toEqual([]);
    await upkeep.stop();
  });
});
