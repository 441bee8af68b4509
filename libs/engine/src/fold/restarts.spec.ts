import { describe, expect, it } from '@jest/globals';
import type { StampedEvent } from '#libs/events';
import { ARun, aRun, fails, ok } from '../../../../test/support/a-run.js';

/** The run failed, and somebody goes on with it. */
function resumed(run: ARun, ...more: readonly Pick<StampedEvent, 'event' | 'properties'>[]): ARun {
  const began = [...more, { event: 'run.start_requested', properties: { resume: true } }];
  const said = began.map((event, n) => ({ ...event, id: `r${n}`, ts: new Date(run.now + 5_000).toISOString() }));
  return new ARun(run.definition, [...run.log, ...(said as StampedEvent[])], run.epoch + 1);
}

/** The stages that take the place of another one. */
function successors({ log }: ARun): string[] {
  return log.flatMap((event) => {
    const before = event.event === 'stage.started' && event.properties.resumed_from_stage_id;
    return before ? [`${event.stage_id} for ${before}`] : [];
  });
}

describe('a resume', () => {
  // start -> a -> b -> exit ; b is a goal gate without a way back
  const GATED = 'b [goal_gate=true] start -> a -> b -> exit';

  it('goes on where the last checkpoint leads, with what was known there', () => {
    const failed = aRun('start -> a -> b; b -> c [condition="outcome=failed"]; b -> exit; c [max_visits=1]; c -> c').at(
      'a',
    );
    failed.ends(ok({ contextUpdates: { x: 1 } }));
    failed.play({ b: fails(), c: ok() });
    expect(failed.end).toMatch(/node "c" visited 1 times/);
    const run = resumed(failed);
    expect(run.walk.state).toMatchObject({ phase: 'created', checkpoints: 4 });
    expect(run.walk.lookup('x')).toBe(1);
    run.begin();
    expect(run.end).toMatch(/node "c" visited 1 times/);
  });

  it('executes again what was begun after it, as another stage that names the one it takes the place of', () => {
    const cut = aRun('start -> a -> b -> exit').at('b');
    cut.take(cut.walk.cancel());
    const run = resumed(cut).at('b');
    const started = run.log.flatMap((event) =>
      event.event === 'stage.started' && event.node_id === 'b' ? [event] : [],
    );
    expect(
      started.map(({ stage_id, properties }) => [stage_id, properties.resumed_from_stage_id, properties.graph_visit]),
    ).toEqual([
      ['b@1', undefined, 1],
      ['b@2', 'b@1', 1],
    ]);
    expect(run.play().end).toBe('run.completed: completed');
  });

  it('says so of the first stage only', () => {
    const cut = aRun('start -> a; a -> a [condition="context.internal.node_visit_count < 3"]; a -> exit').at('a');
    cut.take(cut.walk.cancel());
    expect(successors(resumed(cut).play())).toEqual(['a@2 for a@1']);
  });

  it('says so of the item, where a stage is repeated for several', () => {
    // start -> fork ; fork -> a -> join for 3 items ; join -> exit
    const cut = aRun(
      `fork [shape=component, for_each="[1, 2, 3]", max_parallel=1] join [shape=tripleoctagon]
      start -> fork -> a -> join -> exit`,
      { models: ['a'] },
    ).at('a');
    cut.ends(ok());
    cut.take(cut.walk.cancel());
    expect(successors(resumed(cut).play())).toEqual(['fork@2 for fork@1', 'a@3 for a@1', 'a@4 for a@2']);
  });

  it('says so in a sub-workflow', () => {
    const child = 'digraph C { start; exit; work [shape=parallelogram, script=x]; start -> work -> exit }';
    const cut = aRun(`boss [shape=house, script="", stack.child_dot_source="${child}"]
      start -> boss -> exit`).at('boss.work');
    cut.take(cut.walk.cancel());
    const again = ['boss@2 for boss@1', 'boss.start@2 for boss.start@1', 'boss.work@2 for boss.work@1'];
    expect(successors(resumed(cut).play())).toEqual(again);
  });

  it('enters a whole fork again, and none of its branches goes on by itself', () => {
    // start -> fork ; fork -> a -> join ; fork -> b -> join ; join -> exit
    const cut = aRun(`fork [shape=component] join [shape=diamond]
      start -> fork; fork -> a -> join; fork -> b -> join; join -> exit`).at('a');
    cut.ends(ok());
    cut.take(cut.walk.cancel());
    const run = resumed(cut);
    expect(Object.keys(run.walk.state.cursors)).toEqual(['main']);
    expect(run.play().path).toEqual(expect.arrayContaining(['fork@2', 'a@2', 'b@2']));
    expect(successors(run)).toEqual(['fork@2 for fork@1', 'a@2 for a@1', 'b@2 for b@1']);
    expect(run.end).toBe('run.completed: completed');
  });

  it('takes back pauses, cancels and questions of before', () => {
    const cut = aRun('ask [shape=hexagon] start -> ask; ask -> exit [label=Yes]');
    cut.begin();
    cut.take(cut.walk.settle());
    cut.walk.hear({
      ...{ event: 'run.cancel.requested', properties: { action: 'cancel' }, id: 'c' },
      ts: new Date(cut.now).toISOString(),
    });
    cut.take(cut.walk.cancel());
    expect(resumed(cut).walk.state).toMatchObject({ blocked: false, cancelRequested: false, pause: 'none' });
  });

  it('counts failures on: a circuit that broke stays broken', () => {
    const broken = aRun('start -> a -> a; b -> exit').play({ a: fails() });
    const run = resumed(broken).play({ a: fails() });
    expect(run.path.filter((id) => id.startsWith('a@'))).toEqual(['a@1', 'a@2', 'a@3', 'a@4']);
    expect(run.end).toMatch(/"a" failed 4 times/);
  });

  it('changes nothing where there is no checkpoint yet', () => {
    const run = resumed(aRun(GATED));
    expect(run.play().end).toBe('run.completed: completed');
  });

  it('sees the values that were edited before it', () => {
    const failed = aRun(
      'start -> a -> b; b -> exit [condition="done=yes"]; b -> b [weight=-1]; b [max_visits=1]',
    ).play();
    expect(failed.end).toMatch(/visited 1 times/);
    const edited = { event: 'context.edited', properties: { values: { done: 'yes', x: [1] } } } as const;
    const { walk } = resumed(failed, edited);
    expect([walk.lookup('done'), walk.lookup('x')]).toEqual(['yes', [1]]);
  });
});

describe('a loop restart in a sub-workflow', () => {
  // boss[ start -> way ; way -> gate -> again ; way -second visit-> again ; again -restarts-> way ; again -> exit ]
  const child = `digraph C {
    start; exit; way [shape=diamond]; gate [shape=parallelogram, script=x, goal_gate=true]; again [shape=diamond]
    start -> way; way -> gate -> again; way -> again [condition="context.internal.node_visit_count >= 2"]
    again -> way [condition="context.internal.node_visit_count < 2", loop_restart=true]; again -> exit
  }`;

  it('forgets the outcomes of its own nodes, and of no others', () => {
    const run = aRun(`before [goal_gate=true] boss [shape=house, script="", max_retries=0,
      stack.child_dot_source="${child.replace(/"/g, '\\"')}"]; start -> before -> boss -> exit`).play();
    expect(run.log.find(({ event }) => event === 'subgraph.completed')?.properties).toMatchObject({
      status: 'failed',
      failure: { message: 'goal gate unsatisfied for node boss.gate and no retry target' },
    });
    expect(run.end).toBe('run.completed: completed');
  });
});
