import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AttemptResult, OpenStage } from '#libs/engine';
import { aRun, fails, faults, ok, say, wantsRetry, type ARun } from '../../../../test/support/a-run.js';
import { evolve } from '../fold/evolve.js';
import { initialState } from '../state/state.js';

const MAX_VISITS = 4;
const MAX_NODES = 7;

interface Drawing {
  kinds: ('command' | 'diamond' | 'pause')[];
  attributes: string[];
  edges: { from: number; to: number; how: string }[];
}

const drawings: fc.Arbitrary<Drawing> = fc.integer({ min: 1, max: MAX_NODES }).chain((size) => {
  const node = fc.nat(size - 1);
  const how = fc.constantFrom(
    ...['', '', 'weight=2', 'label=left', 'label=right', 'loop_restart=true'],
    ...[
      'condition="outcome=failed"',
      'condition="context.n > 2"',
      'condition="context.internal.node_visit_count >= 2"',
    ],
  );
  const attributes = fc.constantFrom(
    ...['', '', '', 'max_retries=1', 'retry_policy=linear', 'max_visits=2', 'goal_gate=true', 'auto_status=true'],
    ...['goal_gate=true, retry_target=n0', 'selection=random', 'allow_partial=true', 'retry_target=n0'],
  );
  return fc.record({
    kinds: fc.array(fc.constantFrom('command', 'command', 'diamond', 'pause'), { minLength: size, maxLength: size }),
    attributes: fc.array(attributes, { minLength: size, maxLength: size }),
    edges: fc.array(fc.record({ from: node, to: fc.nat(size), how }), { minLength: size, maxLength: size * 3 }),
  });
});

/** start -> n0 ; nodes n0 … nk and the drawn edges between them ; each node -> the next, the last -> exit */
function graphOf({ kinds, attributes, edges }: Drawing): string {
  const name = (n: number): string => (n === kinds.length ? 'exit' : `n${n}`);
  const shape = { command: '', diamond: 'shape=diamond, ', pause: 'shape=insulator, duration=90s, ' };
  const nodes = kinds.map((kind, n) => `n${n} [${shape[kind]}${randomWithout(edges, n, attributes[n]!)}]`);
  const onward = kinds.map((_, n) => `n${n} -> ${name(n + 1)}`);
  const drawn = edges.map(({ from, to, how }) => `n${from} -> ${name(to)} [${how}]`);
  return `max_node_visits=${MAX_VISITS} ${nodes.join('\n')} start -> n0 ${onward.join('\n')} ${drawn.join('\n')}`;
}

/** The dice refuse conditions beside them. */
function randomWithout(edges: Drawing['edges'], node: number, attributes: string): string {
  const hasConditions = edges.some(({ from, how }) => from === node && how.startsWith('condition'));
  return attributes === 'selection=random' && hasConditions ? '' : attributes;
}

const results: readonly AttemptResult[] = [
  ok(),
  ok({ contextUpdates: { n: 3 } }),
  ok({ preferredLabel: 'left', suggestedNextIds: ['n1'] }),
  ok({ status: 'partially_succeeded' }),
  ok({ status: 'skipped' }),
  fails('exit code 1'),
  fails('exit code 2', 'transient_infra'),
  wantsRetry(),
  faults(),
];

/** The same stage always reports the same, whoever executes it. */
function handler(seed: number) {
  return ({ node, execution, attempt }: OpenStage): AttemptResult =>
    results[Math.abs(mix(mix(seed, Number(node.slice(1))), execution * 31 + attempt)) % results.length]!;
}

function mix(a: number, b: number): number {
  const x = Math.imul(a ^ (b + 0x9e3779b9), 0x85ebca6b);
  return Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
}

/** What a run did, without who did it and when. */
function story({ log }: ARun): string[] {
  return log.map(say).filter((sentence, n, all) => sentence !== all[n - 1] || !sentence.startsWith('stage.started'));
}

const walks = fc.record({
  drawing: drawings,
  seed: fc.integer(),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
});
const model = { numRuns: 300 };

describe('any walk', () => {
  it('ends, within its limits, with one terminal event at the end of its log', () => {
    fc.assert(
      fc.property(walks, ({ drawing, seed, random }) => {
        const run = aRun(graphOf(drawing), { random }).play(handler(seed));
        expect(run.log.filter(({ event }) => event === 'run.completed' || event === 'run.failed')).toEqual([
          run.log.at(-1),
        ]);
        expect(run.path.length).toBeLessThanOrEqual(2 + MAX_NODES * MAX_VISITS);
        expect(Object.values(run.walk.cursor.visits).every((visits) => visits <= MAX_VISITS)).toBe(true);
      }),
      model,
    );
  });

  it('leaves a log that folds to its state', () => {
    fc.assert(
      fc.property(walks, ({ drawing, seed, random }) => {
        const run = aRun(graphOf(drawing), { random }).play(handler(seed));
        const state = initialState('start');
        for (const event of run.log) evolve(state, JSON.parse(JSON.stringify(event)) as typeof event, run.definition);
        expect(state).toEqual(run.walk.state);
      }),
      model,
    );
  });

  it('opens a stage before it closes it, closes each once, and never two at a time', () => {
    fc.assert(
      fc.property(walks, ({ drawing, seed, random }) => {
        const run = aRun(graphOf(drawing), { random }).play(handler(seed));
        let open: string | undefined;
        for (const event of run.log) {
          if (event.event === 'stage.started' && event.stage_id !== open) {
            expect(open).toBeUndefined();
            open = event.stage_id;
          } else if (event.stage_id !== undefined && event.event.startsWith('stage.')) {
            expect(event.stage_id).toBe(open);
          }
          const isRetried = event.event === 'stage.failed' && event.properties.will_retry;
          if (event.event === 'stage.completed' || (event.event === 'stage.failed' && !isRetried)) open = undefined;
        }
        expect(open).toBeUndefined();
      }),
      model,
    );
  });

  it('cut after any append and resumed by another worker, tells the same story', () => {
    fc.assert(
      fc.property(walks, fc.nat(), ({ drawing, seed, random }, at) => {
        const whole = aRun(graphOf(drawing), { random }).play(handler(seed));
        const resumed = whole.takenOver(1 + (at % whole.appends.length)).play(handler(seed));
        expect(resumed.end).toBe(whole.end);
        expect(story(resumed)).toEqual(story(whole));
      }),
      model,
    );
  });

  it('handed from worker to worker after each append, ends as if one had done it all', () => {
    fc.assert(
      fc.property(walks, ({ drawing, seed, random }) => {
        const whole = aRun(graphOf(drawing), { random }).play(handler(seed));
        let run = aRun(graphOf(drawing), { random });
        run.begin();
        for (let epoch = 1; run.walk.state.phase !== 'ended'; epoch++) {
          expect(epoch).toBeLessThan(1_000);
          run = run.takenOver();
          run.advance();
          if (run.open?.doing.what === 'working') run.ends(handler(seed)(run.open));
          else run.sleep();
        }
        expect(run.end).toBe(whole.end);
        expect(run.path).toEqual(whole.path);
      }),
      { numRuns: 100 },
    );
  });

  it('can be cancelled after any append', () => {
    fc.assert(
      fc.property(walks, fc.nat(), ({ drawing, seed, random }, at) => {
        const whole = aRun(graphOf(drawing), { random }).play(handler(seed));
        const cut = at % whole.appends.length;
        const run = whole.takenOver(cut);
        run.take(run.walk.cancel());
        expect(run.end).toBe('run.failed: cancelled, The run was cancelled.');
      }),
      model,
    );
  });
});
