import { describe, expect, it } from '@jest/globals';
import { aRun, fails, faults, ok } from '../../../../test/support/a-run.js';
import type { Hook } from '../definition/hook-list.js';

// start -> test -> exit
const LINE = 'start -> test -> exit';
// test -failed-> fix ; test -> ship ; both -> exit
const FORK = 'start -> test; test -> fix [condition="outcome=failed"]; test -> ship; fix -> exit; ship -> exit';

function aHookedRun(graph: string, ...hooks: Partial<Hook>[]) {
  return aRun(graph, { hooks });
}

/** The moments hooks are asked about until the run ends, when all of them proceed and every stage ends well. */
function moments(graph: string, event: Hook['event'], ends = ok()): string[] {
  const run = aHookedRun(graph, { event });
  const asked: string[] = [];
  run.begin();
  while (run.walk.state.phase !== 'ended') {
    const work = run.hooksAsked[0];
    if (work) asked.push(work.point.id);
    if (work) run.hooksDecided();
    else if (run.open?.doing.what === 'working') run.ends(ends);
    else run.sleep();
  }
  return asked;
}

describe('hooks before the run sets out', () => {
  it('are asked before anything begins, the sandbox first', () => {
    const run = aHookedRun(LINE, { event: 'run_start' }, { name: 'ready', event: 'sandbox_ready' });
    const begun = run.walk.begin(true);
    expect(begun).toMatchObject({ events: [], quiet: false, hooks: [{ point: { event: 'sandbox_ready' } }] });
    run.take(begun);
    expect(run.advance()).toEqual([]);
    expect(run.hooksDecided()).toEqual([]);
    expect(run.hooksDecided()).toContain('stage.started test@1');
  });

  it('are not asked of a sandbox that the run does not have', () => {
    const run = aHookedRun(LINE, { event: 'sandbox_ready' });
    expect(run.begin()).toContain('stage.started test@1');
  });

  it('end a run that they block', () => {
    const run = aHookedRun(LINE, { event: 'run_start' });
    run.begin();
    run.hooksDecided({ decision: 'block', hook: 'guard', reason: 'frozen' });
    expect(run.end).toBe('run.failed: workflow_error, blocked by the hook "guard": frozen');
    expect(run.path).toEqual([]);
  });

  it('are asked again at each loop restart', () => {
    const graph =
      'start -> test; test -> test [condition="outcome=failed", loop_restart=true]; test -> exit [condition="outcome=succeeded"]; test -> exit';
    const run = aHookedRun(graph, { event: 'run_start' });
    run.begin();
    run.hooksDecided();
    expect(run.ends(fails('away', 'transient_infra'))).not.toContain('loop.restart test -> test');
    expect(run.hooksDecided()).toContain('loop.restart test -> test');
  });
});

describe('hooks before an attempt', () => {
  it('are asked before it begins, and told what it is', () => {
    const run = aHookedRun(LINE, { matcher: '^test$' });
    expect(run.begin()).not.toContain('stage.started test@1');
    expect(run.hooksAsked).toMatchObject([
      {
        path: 'main',
        hooks: [{ name: 'guard' }],
        point: { id: 'test/1', facts: { node_id: 'test', handler_type: 'command', attempt: 1, max_attempts: 1 } },
      },
    ]);
    expect(run.last).toMatchObject({ quiet: false, wakeAt: null, work: [] });
    expect(run.hooksDecided()).toEqual(['stage.started test@1']);
  });

  it('are asked at every node that is executed, and at each attempt', () => {
    expect(moments(LINE, 'stage_start')).toEqual(['start/1', 'test/1']);
    expect(moments(`test [max_retries=1] ${LINE}`, 'stage_start', faults())).toEqual(['start/1', 'test/1', 'test@1/2']);
    expect(moments(`test [max_retries=1] ${LINE}`, 'stage_retrying', faults())).toEqual(['test@1/2']);
  });

  it('have the stage skipped, which goes on as any outcome', () => {
    const run = aHookedRun(LINE, { matcher: '^test$' });
    run.begin();
    expect(run.hooksDecided({ decision: 'skip', reason: 'done already' })).toEqual([
      'stage.started test@1',
      'stage.completed test@1 skipped',
      'edge.selected test -> exit, unconditional',
      'checkpoint.completed 2',
      'stage.started exit@1',
      'stage.completed exit@1 succeeded',
      'run.completed: completed',
    ]);
    expect(run.log.find(({ event, stage_id }) => event === 'stage.completed' && stage_id === 'test@1')).toMatchObject({
      properties: { notes: 'done already' },
    });
  });

  it('end the run when they block', () => {
    const run = aHookedRun(LINE, { matcher: '^test$' });
    run.begin();
    run.hooksDecided({ decision: 'block', hook: 'guard', reason: 'not today' });
    expect(run.end).toBe('run.failed: workflow_error, blocked by the hook "guard": not today');
    expect(run.path).toEqual(['start@1']);
  });

  it('hold up their own branch only', () => {
    // fork -> slow -> join, fork -> quick -> join
    const graph =
      'fork [shape=component] join [shape=tripleoctagon] start -> fork; fork -> slow -> join; fork -> quick -> join; join -> exit';
    const run = aHookedRun(graph, { matcher: '^slow$' });
    run.begin();
    expect(run.working.map(({ stage }) => stage.node)).toEqual(['quick']);
    run.finishes('fork@1:1', ok());
    expect(run.walk.state.phase).toBe('walking');
    run.hooksDecided();
    run.finishes('fork@1:0', ok());
    expect(run.end).toBe('run.completed: completed');
  });

  // fork -> each -> join, for each of three items
  it('are asked once for each branch, also where branches ask about one node at the same time', () => {
    const graph =
      'fork [shape=component, for_each="items"] join [shape=tripleoctagon] start -> list -> fork; fork -> each -> join; join -> exit';
    const run = aRun(graph, { hooks: [{ matcher: '^each$' }], models: ['each'] });
    run.at('list').ends(ok({ contextUpdates: { items: ['a', 'b', 'c'] } }));
    expect(run.hooksAsked.map(({ id }) => id)).toEqual([0, 1, 2].map((n) => `fork@1:${n}/stage_start/each/1`));
    for (const work of [...run.hooksAsked].reverse()) run.hooksDecided({ decision: 'proceed' }, work);
    expect(run.hooksAsked).toEqual([]);
    expect(run.working.map(({ stage }) => stage.id).toSorted()).toEqual(['each@1', 'each@2', 'each@3']);
  });

  it('are asked again by a worker that takes over', () => {
    const run = aHookedRun(LINE, { matcher: '^test$' });
    run.begin();
    const next = run.takenOver();
    next.advance();
    expect(next.hooksAsked.map(({ id }) => id)).toEqual(run.hooksAsked.map(({ id }) => id));
    expect(next.hooksDecided()).toEqual(['stage.started test@1']);
  });

  it('are not asked about an attempt that began before its worker was lost', () => {
    const run = aHookedRun(LINE, { matcher: '^test$' });
    run.begin();
    run.hooksDecided();
    const next = run.takenOver();
    expect(next.advance()).toEqual(['stage.started test@1']);
  });

  it('are dropped with their run when it is cancelled', () => {
    const run = aHookedRun(LINE, { matcher: '^test$' });
    run.begin();
    const [work] = run.hooksAsked;
    const step = run.walk.cancel();
    expect(step).toMatchObject({ ended: true, quiet: true, stop: ['main/stage_start/test/1'] });
    run.take(step);
    expect(run.hooksDecided(undefined, work)).toEqual([]);
  });

  it('cost nothing in a dry run, which asks none', () => {
    expect(aRun(LINE, { hooks: [{}], dryRun: true }).play().end).toBe('run.completed: completed');
  });
});

describe('hooks after a stage', () => {
  it('are told how it ended, before the way on is taken', () => {
    const run = aHookedRun(FORK, { event: 'stage_failed' });
    run.begin();
    expect(run.ends(fails('exit code 3'))).toEqual(['stage.failed test@1']);
    expect(run.hooksAsked).toMatchObject([
      { point: { id: 'test@1', facts: { node_id: 'test', status: 'failed', failure_reason: 'exit code 3' } } },
    ]);
    expect(run.hooksDecided()).toContain('edge.selected test -> fix, condition');
  });

  it('are told again when the worker is lost meanwhile; the stage is not executed again', () => {
    const run = aHookedRun(LINE, { event: 'stage_complete', matcher: '^test$' });
    run.begin();
    run.ends(ok());
    const next = run.takenOver();
    expect(next.advance()).toEqual([]);
    expect(next.hooksDecided()).toContain('edge.selected test -> exit, unconditional');
  });

  it('hear of every node but the exit, of forks by two names, and of no skipped stage', () => {
    const graph =
      'fork [shape=component] join [shape=tripleoctagon] start -> fork; fork -> one -> join; fork -> two -> join; join -> exit';
    expect(moments(graph, 'stage_complete').toSorted()).toEqual(['fork@1', 'join@1', 'one@1', 'start@1', 'two@1']);
    expect(moments(graph, 'parallel_start')).toEqual(['fork/1']);
    expect(moments(graph, 'parallel_complete')).toEqual(['fork@1']);
    expect(moments(LINE, 'stage_complete', ok({ status: 'skipped' }))).toEqual(['start@1']);
  });

  it('hear of each checkpoint once', () => {
    expect(moments(FORK, 'checkpoint_saved')).toEqual(['1', '2', '3']);
  });
});

describe('hooks on the way on', () => {
  it('are asked before it is taken, and told where it leads', () => {
    const run = aHookedRun(FORK, { event: 'edge_selected', matcher: 'ship' });
    run.begin();
    expect(run.ends(ok())).toEqual(['stage.completed test@1 succeeded']);
    expect(run.hooksAsked[0]?.point.facts).toMatchObject({ edge_from: 'test', edge_to: 'ship', status: 'succeeded' });
    expect(run.hooksDecided()).toContain('edge.selected test -> ship, unconditional');
  });

  it('lead elsewhere', () => {
    const run = aHookedRun(FORK, { event: 'edge_selected', matcher: '^ship$' });
    run.begin();
    run.ends(ok());
    expect(run.hooksDecided({ decision: 'override', edge_to: 'fix' })).toContain('edge.selected test -> fix, jump');
    expect(run.open?.node).toBe('fix');
  });

  it('fail a run that they lead to nowhere', () => {
    const run = aHookedRun(FORK, { event: 'edge_selected', matcher: '^ship$' });
    run.begin();
    run.ends(ok());
    run.hooksDecided({ decision: 'override', edge_to: 'moon' });
    expect(run.end).toBe(
      'run.failed: workflow_error, a hook leads from "test" to "moon", which the graph does not have',
    );
  });

  it('end the run when they block', () => {
    const run = aHookedRun(FORK, { event: 'edge_selected', matcher: '^ship$' });
    run.begin();
    run.ends(ok());
    run.hooksDecided({ decision: 'block', hook: 'guard', reason: 'freeze' });
    expect(run.end).toBe('run.failed: workflow_error, blocked by the hook "guard": freeze');
    expect(run.log.filter(({ event }) => event === 'stage.completed').map(({ stage_id }) => stage_id)).toContain(
      'test@1',
    );
  });

  it('have a throw of the dice stand while they are asked', () => {
    const graph = `pick [selection=random] start -> pick; ${[1, 2, 3, 4, 5, 6, 7, 8].map((n) => `pick -> n${n}; n${n} -> exit`).join('; ')}`;
    const run = aHookedRun(graph, { event: 'edge_selected', matcher: '^n' });
    run.begin();
    run.ends(ok());
    const chosen = run.hooksAsked[0]!.point.facts.edge_to;
    run.hooksDecided();
    expect(run.open?.node).toBe(chosen);
  });
});

describe('a run whose hooks are asked', () => {
  it('neither parks nor rests until they have spoken', () => {
    const run = aHookedRun(LINE, { matcher: '^test$' });
    run.begin();
    run.walk.state.pause = 'requested';
    expect(run.walk.advance().quiet).toBe(false);
    run.hooksDecided();
    expect(run.last).toMatchObject({ quiet: true, work: [] });
    expect(run.path).toEqual(['start@1']);
  });
});
