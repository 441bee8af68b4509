import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StampedEvent } from '#libs/events';
import { ARun, definitionOf, say } from '../../../../test/support/a-run.js';
import { drawings, MAX_VISITS, sourceOf } from '../../../../test/support/any-workflow.js';
import { AnyWorld } from '../../../../test/support/any-world.js';
import { openQuestions } from './questions.js';
import { evolve } from './evolve.js';
import { initialState } from './state.js';

const SEEDS = 4;
const times = (numRuns: number): fc.Parameters<unknown> => ({ numRuns: numRuns / SEEDS });

/** Walks of any workflow through any world. */
function everyWalk(count: number, check: (walk: { fresh: () => ARun; world: AnyWorld }) => void, hurries = true): void {
  const seeds = fc.array(fc.integer(), { minLength: SEEDS, maxLength: SEEDS });
  fc.assert(
    fc.property(drawings, seeds, (drawing, all) => {
      const definition = definitionOf(sourceOf(drawing));
      for (const seed of all) {
        const world = new AnyWorld(seed, hurries && seed % 2 === 0);
        check({ fresh: () => new ARun(definition, [], 1), world });
      }
    }),
    times(count),
  );
}

const isEnd = ({ event }: StampedEvent): boolean => event === 'run.completed' || event === 'run.failed';

describe('any walk with branches, sub-workflows and gates', () => {
  it('ends, with one terminal event at the end of its log, and within the limits of its nodes', () => {
    everyWalk(2_000, ({ fresh, world }) => {
      const run = world.play(fresh(), ({ walk }) => {
        for (const { visits } of Object.values(walk.state.cursors)) {
          expect(Math.max(0, ...Object.values(visits))).toBeLessThanOrEqual(MAX_VISITS);
        }
      });
      expect(run.log.filter(isEnd)).toEqual([run.log.at(-1)]);
    });
  });

  it('leaves a log that folds to its state', () => {
    everyWalk(2_000, ({ fresh, world }) => {
      const run = world.play(fresh());
      const state = initialState('start');
      for (const event of run.log) evolve(state, JSON.parse(JSON.stringify(event)) as typeof event, run.definition);
      expect(state).toEqual(run.walk.state);
    });
  });

  it('closes what it opens, once: stages, branches, sub-workflows, questions', () => {
    everyWalk(2_000, ({ fresh, world }) => {
      expect(bracketFaults(world.play(fresh()).log)).toEqual([]);
    });
  });

  it('asks for work only on stages that are open, and never for more of a fork at once than it allows', () => {
    everyWalk(2_000, ({ fresh, world }) => {
      world.play(fresh(), (run) => {
        const working = run.working.map(({ stage }) => stage.id);
        if (run.walk.state.phase !== 'ended')
          expect(working).toEqual(expect.arrayContaining(run.last!.work.map(({ stage }) => stage.id)));
        for (const { position } of Object.values(run.walk.state.cursors)) {
          if (position.at !== 'stage' || position.stage.doing.what !== 'forked') continue;
          const fork = run.definition.node(position.stage.node);
          if (fork?.kind !== 'parallel') throw new Error('no fork');
          const busy = Object.values(run.walk.state.cursors).filter(
            ({ host, position: at }) =>
              host?.stageId === position.stage.id && !(at.at === 'stage' && at.stage.doing.what === 'backing_off'),
          );
          expect(busy.length).toBeLessThanOrEqual(fork.maxParallel);
        }
      });
    });
  });

  it('says that it is blocked exactly while a question is open', () => {
    everyWalk(1_000, ({ fresh, world }) => {
      world.play(fresh(), ({ walk, last }) => {
        if (!last?.unsettled && walk.state.phase === 'walking') expect(walk.state.blocked).toBe(openQuestions(walk.state).length > 0);
      });
    });
  });

  it('cut after any append and taken over, tells the same story', () => {
    everyWalk(
      2_000,
      ({ fresh, world }) => {
        const whole = world.play(fresh());
        const at = world.dice('cut') % whole.appends.length;
        const resumed = world.play(whole.takenOver(1 + at));
        expect(resumed.end).toBe(whole.end);
        expect(story(resumed)).toEqual(story(whole));
      },
      false,
    );
  });
});

/** What a run did, without who did it and when. */
function story({ log }: ARun): string[] {
  const sentences = log.map(say);
  return sentences.filter((sentence, n) => sentences.indexOf(sentence) === n || !sentence.startsWith('stage.started'));
}

function bracketFaults(log: readonly StampedEvent[]): string[] {
  const faults: string[] = [];
  const open = new Map<string, string>();
  const closed = new Set<string>();
  const opens = (what: string, id = ''): void => {
    if (closed.has(`${what} ${id}`)) faults.push(`${what} ${id} is opened again after its end`);
    open.set(`${what} ${id}`, what);
  };
  const closes = (what: string, id = ''): void => {
    const key = `${what} ${id}`;
    if (!open.delete(key)) faults.push(`${key} is closed, and is not open`);
    closed.add(key);
  };
  const generations = new Map<string, number>();
  for (const event of log) {
    const { cursor_id, stage_id } = event;
    switch (event.event) {
      case 'stage.started':
        opens('stage', stage_id);
        break;
      case 'stage.completed':
        closes('stage', stage_id);
        break;
      case 'stage.failed':
        if (!event.properties.will_retry) closes('stage', stage_id);
        break;
      case 'parallel.branch.started':
        opens('branch', cursor_id);
        break;
      case 'parallel.branch.completed':
        closes('branch', cursor_id);
        break;
      case 'subgraph.started':
        generations.set(cursor_id!, (generations.get(cursor_id!) ?? 0) + 1);
        opens('child', `${cursor_id}/${generations.get(cursor_id!)}`);
        break;
      case 'subgraph.completed':
        closes('child', `${cursor_id}/${generations.get(cursor_id!)}`);
        break;
      case 'interview.started':
        opens('question', event.properties.question_id);
        break;
      case 'interview.completed':
      case 'interview.timeout':
      case 'interview.interrupted':
        closes('question', event.properties.question_id);
        break;
      default:
    }
  }
  const failed = log.at(-1)?.event === 'run.failed';
  return [...faults, ...[...open].flatMap(([key, what]) => (failed && what !== 'stage' ? [] : [`${key} stays open`]))];
}
