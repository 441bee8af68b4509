import { describe, expect, it } from '@jest/globals';
import type { StampedEvent, UnknownEvent } from '#libs/events';
import { aRun, fails, faults, ok, type ARun } from '../../../../test/support/a-run.js';
import { evolve } from './evolve.js';
import { initialState, type RunState } from '../state/state.js';

// start -> work -> gate ; gate -failed-> work (restarts) ; gate -> pause -> exit
const GRAPH = `work [max_retries=1] gate [shape=diamond] pause [shape=insulator, duration=1m]
  start -> work -> gate; gate -> work [condition="outcome=failed", loop_restart=true]; gate -> pause -> exit`;

function anEventfulRun(): ARun {
  const wrote = ok({ contextUpdates: { answer: 42 }, preferredLabel: 'on' });
  const passing = fails('connection reset', 'transient_infra');
  return aRun(GRAPH).play({ work: [faults(), passing, wrote] });
}

function fold(run: ARun, log: readonly (StampedEvent | UnknownEvent)[], from?: RunState): RunState {
  const state = from ?? initialState('start');
  for (const event of log) evolve(state, event, run.definition);
  return state;
}

describe('the state of a run', () => {
  it('is the fold of its log', () => {
    const run = anEventfulRun();
    expect(run.end).toBe('run.completed: completed');
    expect(fold(run, run.log)).toEqual(run.walk.state);
  });

  it('survives as JSON, and the rest of the log is folded onto it', () => {
    const run = anEventfulRun();
    for (let cut = 0; cut <= run.log.length; cut++) {
      const snapshot = JSON.parse(JSON.stringify(fold(run, run.log.slice(0, cut)))) as RunState;
      expect(fold(run, run.log.slice(cut), snapshot)).toEqual(run.walk.state);
    }
  });

  it('does not change by events it does not know, or that are about something else', () => {
    const run = anEventfulRun();
    const unknown = { event: 'stage.teleported', stage_id: 'work@1', properties: { to: 'exit' }, id: 'u', ts: 'x' };
    const notice = {
      event: 'run.notice',
      properties: { level: 'info', code: 'c', message: 'm' },
      id: 'n',
      ts: '2030-01-01T00:00:00.000Z',
    } as const;
    const noisy = run.log.flatMap((event) => [unknown, event, notice]);
    expect(fold(run, noisy)).toEqual(run.walk.state);
  });

  it('begins to walk with the first run.started, whose time it keeps', () => {
    const run = aRun(GRAPH);
    run.take(run.walk.begin());
    expect(run.walk.state).toMatchObject({ phase: 'walking', startedAt: run.now });
    const again = { ...run.log[0]!, ts: '2031-01-01T00:00:00.000Z' };
    expect(fold(run, [...run.log, again]).startedAt).toBe(run.now);
  });

  it('keeps for later stages what a stage reported', () => {
    const run = aRun('start -> a -> b -> c -> exit').at('a');
    run.ends(ok({ contextUpdates: { x: 1, y: [2] }, preferredLabel: 'left' }));
    expect(run.walk.cursor.context).toEqual({ x: 1, y: [2], preferred_label: 'left' });
    expect(run.walk.lookup('outcome')).toBe('succeeded');
    run.ends(fails('exit 3'));
    const seen = ['x', 'outcome', 'failure_class', 'failure_signature', 'preferred_label'].map((key) =>
      run.walk.lookup(key),
    );
    expect(seen).toEqual([1, 'failed', 'deterministic', 'b|deterministic|exit <n>', 'left']);
    expect(run.walk.cursor.last).not.toHaveProperty('preferredLabel');
  });

  it('counts checkpoints and stages over the whole run', () => {
    const { log } = anEventfulRun();
    const ordinals = log.flatMap((event) => (event.event === 'checkpoint.completed' ? [event.properties.ordinal] : []));
    expect(ordinals).toEqual([1, 2, 3, 4, 5, 6]);
    const indexes = log.flatMap((event) => (event.event === 'stage.started' ? [event.properties.index] : []));
    expect(indexes).toEqual([0, 1, 1, 2, 3, 4, 5, 6]);
  });
});
