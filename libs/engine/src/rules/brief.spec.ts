import { describe, expect, it } from '@jest/globals';
import { aRun, fails, ok, type ARun } from '../../../../test/support/a-run.js';
import type { Briefing } from '../preamble/briefing.js';

/** What the model of the stage in question was told when it was last asked. */
function told({ last, open }: ARun): Briefing {
  const briefing = last?.work.find(({ stage }) => stage.id === open?.id)?.briefing;
  if (!briefing) throw new Error(`${open?.id} was asked without a briefing.`);
  return briefing;
}

const thinking = { models: ['think'] };

describe('what a model is told', () => {
  it('is nothing where no model is asked', () => {
    expect(aRun('start -> work -> exit').at('work').last?.work[0]).not.toHaveProperty('briefing');
  });

  it('is what was done and written before, and no key of the engine', () => {
    const run = aRun('goal="Ship it" start -> work -> think -> exit', thinking).at('work');
    run.ends(
      ok({ contextUpdates: { x: 1, 'response.old': 'a', 'internal.y': 2 }, notes: 'made', preferredLabel: 'on' }),
    );
    expect(told(run)).toMatchObject({
      goal: 'Ship it',
      runId: run.definition.runId,
      fidelity: 'compact',
      threadId: 'work',
      history: [{ node: 'work', stageId: 'work@1', status: 'succeeded', notes: 'made' }],
      context: [['x', 1]],
    });
  });

  it.each([
    ['compact', []],
    ['summary:high', ['response.work']],
    ['full', ['response.work']],
  ])('holds answers where everything is told: %s', (fidelity, answers) => {
    const run = aRun(`think [fidelity="${fidelity}"] start -> work -> think -> exit`, thinking).at('work');
    run.ends(ok({ contextUpdates: { 'response.work': 'Yes.', 'command.output': 'made' } }));
    expect(told(run).context.map(([key]) => key)).toEqual([...answers, 'command.output']);
    expect(told(run).history).toMatchObject([{ node: 'work', hasOutput: true }]);
  });

  it('tells every visit with the outcome it had', () => {
    const run = aRun(
      'start -> work -> think; think -> work [condition="context.internal.node_visit_count < 2"]; think -> exit',
      thinking,
    );
    run.at('work').ends(fails('exit 1'));
    run.ends(ok());
    run.ends(ok());
    expect(told(run).history.map(({ stageId, status }) => `${stageId} ${status}`)).toEqual([
      'work@1 failed',
      'think@1 succeeded',
      'work@2 succeeded',
    ]);
  });

  it('stays as it was when the attempt is repeated by another worker', () => {
    const run = aRun('start -> work -> think -> exit [fidelity=full]', thinking).at('think');
    const next = run.takenOver();
    next.advance();
    const { nodeOf: _, ...before } = told(run);
    expect(told(next)).toMatchObject(before);
  });

  it('is forgotten by a loop restart', () => {
    const run = aRun(
      'start -> work -> think; think -> think [condition="n=1", loop_restart=true]; think -> exit',
      thinking,
    );
    run.at('think').ends(ok({ contextUpdates: { n: 1 } }));
    expect(told(run)).toMatchObject({ history: [], context: [] });
  });
});

describe('the fidelity of a stage', () => {
  it('is that of the edge that was taken, among several to the same node', () => {
    const graph = `start -> work; work -> think [label=brief, fidelity=truncate]; work -> think [label=long, fidelity="summary:high"]
      think -> exit`;
    for (const [preferredLabel, fidelity] of [
      ['brief', 'truncate'],
      ['long', 'summary:high'],
    ] as const) {
      const run = aRun(graph, thinking).at('work');
      run.ends(ok({ preferredLabel }));
      expect(told(run).fidelity).toBe(fidelity);
    }
  });

  it('is that of its node after a jump, whose conversation is a new one', () => {
    const graph = `think [goal_gate=true, retry_target=think, fidelity=full]
      start -> think [fidelity=truncate, thread_id=t]; think -> exit`;
    const run = aRun(graph, thinking).at('think');
    expect(told(run)).toMatchObject({ fidelity: 'truncate', threadId: 't' });
    run.ends(fails());
    expect(told(run)).toMatchObject({ fidelity: 'full', threadId: null });
  });
});

describe('in a branch', () => {
  // start -> work -> fork ; fork -> think -> more -> join ; fork -> other -> join ; join -> exit
  const forked = (edge = ''): ARun =>
    aRun(
      `default_fidelity=full fork [shape=component] join [shape=diamond]
      start -> work -> fork; fork -> think ${edge}; think -> more -> join; fork -> other -> join; join -> exit`,
      { models: ['think', 'more'] },
    ).at('think');

  it('the edge from the fork says how much its first stage is told, and no later one', () => {
    const run = forked('[fidelity=truncate]');
    expect(told(run).fidelity).toBe('truncate');
    run.ends(ok());
    expect(run.last?.work[0]?.briefing?.fidelity).toBe('summary:high');
  });

  // start -> fork ; fork -> inner -> meet ; fork -> other -> meet ; meet -> exit
  // inner -> think -> more -> join ; inner -> less -> join ; join -> meet
  it.each([
    ['its fork', 'fork [fidelity=truncate]', '', 'truncate'],
    ['the edge that led to its fork', 'fork [fidelity=full]', '[fidelity=truncate]', 'truncate'],
    ['the fork inside of that', 'fork [fidelity=truncate] inner [fidelity="summary:low"]', '', 'summary:low'],
    ['a fork with whole conversations, at length', 'fork [fidelity=full]', '', 'summary:high'],
  ])('a model is told as much as %s says, all the way', (_, forks, way, expected) => {
    const run = aRun(
      `fork [shape=component] inner [shape=component] ${forks}
      join [shape=diamond] meet [shape=diamond] other [shape=diamond] less [shape=diamond]
      start -> fork ${way}; fork -> inner; fork -> other -> meet; inner -> think -> more -> join
      inner -> less -> join; join -> meet -> exit`,
      { models: ['think', 'more'] },
    ).at('think');
    expect(told(run).fidelity).toBe(expected);
    run.ends(ok());
    expect(told(run).fidelity).toBe(expected);
  });

  it('no conversation is gone on with: a model is told at length instead', () => {
    expect(told(forked())).toMatchObject({ fidelity: 'summary:high', threadId: null });
  });

  it('a model is told what was done before the fork and on its branch', () => {
    const run = forked();
    run.ends(ok());
    expect(run.last?.work[0]?.briefing?.history.map(({ node }) => node)).toEqual(['work', 'think']);
  });
});

it('a model of a sub-workflow is told what was done before it, and has the goal of its own graph', () => {
  const child = 'digraph C { goal=Inner; start; exit; think [shape=tab, prompt=Hi]; start -> think -> exit }';
  const run = aRun(`goal=Outer boss [shape=house, script="", stack.child_dot_source="${child}"]
    start -> work -> boss -> exit`).at('boss.think');
  expect(told(run)).toMatchObject({ goal: 'Inner', history: [{ node: 'work' }] });
});
