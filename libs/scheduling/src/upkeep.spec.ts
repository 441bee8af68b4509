import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Upkeep } from './upkeep.js';

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
});
