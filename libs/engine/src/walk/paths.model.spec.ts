import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ARun, definitionOf, say } from '../../../../test/support/a-run.js';
import { drawings, MAX_VISITS, sourceOf } from '../../../../test/support/any-workflow.js';
import { AnyWorld } from '../../../../test/support/any-world.js';
import { faultsOfLog, faultsOfMoment } from '../../../../test/support/walk-faults.js';
import { evolve } from '../fold/evolve.js';
import { initialState } from '../state/state.js';

/** The same walks every time; another seed walks others. */
const SEED = 1_981_817_948;
/** Reading a workflow takes longer than walking it, so each is walked through several worlds. */
const WORLDS = 5;

/** Half of the runs have hooks, at one of the moments. */
const hooks = fc.constantFrom(
  ...[[], [], [], []],
  ...(['stage_start', 'stage_failed', 'edge_selected', 'checkpoint_saved'] as const).map((event) => [{ event }]),
);

/** A workflow that nobody has begun yet, and the seed of a world. */
type Check = (fresh: () => ARun, seed: number) => void;

function forAnyWalk(walks: number, check: Check): void {
  const seeds = fc.array(fc.integer(), { minLength: WORLDS, maxLength: WORLDS });
  const property = fc.property(drawings, hooks, seeds, (drawing, asked, all) => {
    const definition = definitionOf(sourceOf(drawing), { hooks: asked });
    for (const seed of all) check(() => new ARun(definition, [], 1), seed);
  });
  fc.assert(property, { numRuns: walks / WORLDS, seed: SEED });
}

/** What a run did, without who did it and when. */
function story({ log }: ARun): string[] {
  const sentences = log.map(say);
  return sentences.filter((sentence, n) => sentences.indexOf(sentence) === n || !sentence.startsWith('stage.started'));
}

/** What is wrong with a run that is over; its log is read as it would be stored. */
function faultsOf({ log, definition, walk }: ARun): string[] {
  const state = initialState(definition.index.start.id);
  for (const event of JSON.parse(JSON.stringify(log)) as typeof log) evolve(state, event, definition);
  const isItsLog = JSON.stringify(state) === JSON.stringify(walk.state);
  return [...faultsOfLog(log), ...(isItsLog ? [] : ['the state is not what the log folds to'])];
}

describe('any walk with branches, sub-workflows, gates and waits, one inside the other', () => {
  it('ends once, within the limits of nodes and forks, closes what it opens, and is a fold of its log', () => {
    forAnyWalk(3_000, (fresh, seed) => {
      const faults: string[] = [];
      const world = new AnyWorld(seed, seed % 2 === 0);
      const run = world.play(fresh(), (moment) => faults.push(...faultsOfMoment(moment, MAX_VISITS)));
      expect([...faults, ...faultsOf(run)]).toEqual([]);
    });
  });

  it('cut after any append and taken over, tells the same story', () => {
    forAnyWalk(1_500, (fresh, seed) => {
      const world = new AnyWorld(seed);
      const whole = world.play(fresh());
      const resumed = world.play(whole.takenOver(1 + (world.dice('cut') % whole.appends.length)));
      expect(resumed.end).toBe(whole.end);
      expect(story(resumed)).toEqual(story(whole));
    });
  });

  it('can be cancelled after any append, and leaves nothing open', () => {
    forAnyWalk(1_500, (fresh, seed) => {
      const world = new AnyWorld(seed, seed % 2 === 0);
      const whole = world.play(fresh());
      const run = whole.takenOver(world.dice('cut') % whole.appends.length);
      run.take(run.walk.cancel());
      expect(run.end).toBe('run.failed: cancelled, The run was cancelled.');
      expect(faultsOf(run)).toEqual([]);
    });
  });
});
