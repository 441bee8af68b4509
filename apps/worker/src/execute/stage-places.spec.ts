import { beforeEach, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { StagePlaces, type RunPlaces } from './stage-places.js';

const signal = new AbortController().signal;
let begun: string[];
let back: Map<string, () => void>;
beforeEach(() => {
  begun = [];
  back = new Map();
});

async function begin(run: RunPlaces, ...names: string[]): Promise<void> {
  for (const name of names) {
    void run.take(signal).then((giveBack) => {
      begun.push(name);
      back.set(name, giveBack);
    });
  }
  await setImmediate();
}

async function end(name: string): Promise<void> {
  back.get(name)!();
  await setImmediate();
}

it('lets as many stages of a run work as it may have', async () => {
  const run = new StagePlaces({ stages: 10, stagesPerRun: 2 }).ofRun();
  await begin(run, 'a', 'b', 'c', 'd');
  expect(begun).toEqual(['a', 'b']);
  await end('a');
  expect(begun).toEqual(['a', 'b', 'c']);
});

it('lets the runs that want more than a worker has take turns', async () => {
  const places = new StagePlaces({ stages: 3, stagesPerRun: 10 });
  const [one, other] = [places.ofRun(), places.ofRun()];
  await begin(one, 'a1', 'a2', 'a3', 'a4', 'a5');
  await begin(other, 'b1', 'b2', 'b3');
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
  for (const name of ['a1', 'a2', 'a3']) await end(name);
  expect(begun.slice(4)).toEqual(['a4', 'b2']);
  await end('b1');
  expect(begun.slice(6)).toEqual(['a5']);
});

it('always lets a run work that has nothing at work', async () => {
  const places = new StagePlaces({ stages: 1, stagesPerRun: 10 });
  const [one, other] = [places.ofRun(), places.ofRun()];
  await begin(one, 'a1');
  await begin(other, 'b1', 'b2');
  expect(begun).toEqual(['a1', 'b1']);
  await end('b1');
  expect(begun).toEqual(['a1', 'b1', 'b2']);
});

it('forgets a stage that does not wait any more', async () => {
  const run = new StagePlaces({ stages: 1, stagesPerRun: 1 }).ofRun();
  await begin(run, 'a');
  const abort = new AbortController();
  const waits = run.take(abort.signal);
  await begin(run, 'c');
  abort.abort(new Error('cancelled'));
  await expect(waits).rejects.toThrow('cancelled');
  await end('a');
  expect(begun).toEqual(['a', 'c']);
});
