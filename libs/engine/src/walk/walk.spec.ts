import { describe, expect, it } from '@jest/globals';
import { aRun, fails, ok } from '../../../../test/support/a-run.js';

// start -> build -> exit
const CHAIN = 'start -> build -> exit';

describe('Walk', () => {
  it('begins with the wall time of the run, and does nothing before', () => {
    const run = aRun(CHAIN);
    expect(run.advance()).toEqual([]);
    expect(run.begin().slice(0, 2)).toEqual(['run.started', 'run.running']);
  });

  it('records a node that only decides together with what follows it', () => {
    expect(aRun(CHAIN).begin()).toEqual([
      'run.started',
      'run.running',
      'stage.started start@1',
      'stage.completed start@1 succeeded',
      'edge.selected start -> build, unconditional',
      'checkpoint.completed 1',
      'stage.started build@1',
    ]);
  });

  it('asks a worker to execute a stage with outside effects, and waits for it', () => {
    const run = aRun(CHAIN);
    run.begin();
    expect(run.last).toMatchObject({
      work: [{ stage: { id: 'build@1', attempt: 1, lostAttemptIds: [], epoch: 1 } }],
      more: false,
    });
    expect(run.advance()).toEqual([]);
    expect(run.last).toMatchObject({ work: [], wakeAt: null, ended: false });
  });

  // start -> build -> check -> exit
  it('puts an outcome, its edge, its checkpoint and the next start into one append', () => {
    const run = aRun('start -> build -> check -> exit').at('build');
    run.ends(ok());
    expect(run.appends.at(-1)?.map(({ event }) => event)).toEqual([
      'stage.completed',
      'edge.selected',
      'checkpoint.completed',
      'stage.started',
    ]);
  });

  it('does not execute the exit, and lists it among the stages', () => {
    const run = aRun(CHAIN).at('build');
    expect(run.ends(ok())).toEqual([
      'stage.completed build@1 succeeded',
      'edge.selected build -> exit, unconditional',
      'checkpoint.completed 2',
      'stage.started exit@1',
      'stage.completed exit@1 succeeded',
      'run.completed: completed',
    ]);
    expect(run.last).toMatchObject({ work: [], wakeAt: null, more: false, ended: true });
  });

  it('stamps each event with the time and an id of its own', () => {
    const { log } = aRun(CHAIN).play();
    expect(new Set(log.map(({ id }) => id)).size).toBe(log.length);
    expect(log[0]?.ts).toBe('2030-01-01T00:00:00.000Z');
  });

  it('says which attempt a start is, and under which epoch', () => {
    const run = aRun('build [label="Build it"] start -> build -> exit').at('build');
    expect(run.log.at(-1)).toMatchObject({
      node_id: 'build',
      node_label: 'Build it',
      stage_id: 'build@1',
      properties: {
        index: 1,
        handler_type: 'command',
        attempt: 1,
        max_attempts: 1,
        graph_visit: 1,
        attempt_id: '01J0000000000000000000000A/build@1/1/1',
        epoch: 1,
      },
    });
  });

  it('measures a stage, and sums the time of tools over the run', () => {
    const run = aRun('start -> build -> check -> exit').at('build');
    run.now += 1_500;
    run.ends({ ...ok(), toolTimeMs: 1_200 });
    const closing = run.log.find(({ event, stage_id }) => event === 'stage.completed' && stage_id === 'build@1');
    const timing = { wall_time_ms: 1_500, inference_time_ms: 0, tool_time_ms: 1_200, active_time_ms: 1_200 };
    expect(closing?.properties).toMatchObject({ timing });

    run.now += 500;
    run.ends({ ...ok(), toolTimeMs: 300 });
    const total = { wall_time_ms: 2_000, inference_time_ms: 0, tool_time_ms: 1_500, active_time_ms: 1_500 };
    expect(run.log.at(-1)?.properties).toMatchObject({ timing: total });
  });

  it('gives work that went on while its worker was replaced the time that it took', () => {
    const run = aRun('start -> build -> exit').at('build');
    run.now += 100;
    run.ends({ ...ok(), toolTimeMs: 10_000 });
    const closing = run.log.find(({ event, stage_id }) => event === 'stage.completed' && stage_id === 'build@1');
    expect(closing?.properties).toMatchObject({ timing: { wall_time_ms: 10_000, tool_time_ms: 10_000 } });
  });

  it('takes a clock that steps back for no time at all', () => {
    const run = aRun(CHAIN).at('build');
    run.now -= 60_000;
    run.ends(ok());
    expect(run.log.at(-1)?.properties).toMatchObject({ timing: { wall_time_ms: 0 } });
  });

  it('notes what happens inside a stage, which changes no decision', () => {
    const run = aRun(CHAIN).at('build');
    const before = structuredClone(run.walk.state);
    const properties = { level: 'info', code: 'hint', message: 'slow disk' } as const;
    expect(run.take(run.walk.note({ event: 'run.notice', properties }))).toEqual(['run.notice']);
    expect(run.walk.state).toEqual(before);
  });

  it('ignores the result of a stage that is not open', () => {
    const run = aRun('start -> build -> check -> exit').at('check');
    expect(run.take(run.walk.finish('main', 'build@1', ok()))).toEqual([]);
    expect(run.open?.id).toBe('check@1');
  });

  it('fails for a reason outside the graph, its open stage first', () => {
    const run = aRun(CHAIN).at('build');
    const step = run.walk.fail('terminated', { message: 'Lost too often.', category: 'transient_infra' });
    expect(run.take(step)).toEqual(['stage.failed build@1', 'run.failed: terminated, Lost too often.']);
    expect(step.ended).toBe(true);
  });

  it('says nothing more after the end', () => {
    const run = aRun(CHAIN).play({ build: fails() });
    const { walk } = run;
    const notice = { event: 'run.notice', properties: { level: 'info', code: 'late', message: 'late' } } as const;
    const failure = { message: 'late', category: 'deterministic' } as const;
    for (const step of [
      walk.begin(),
      walk.advance(),
      walk.finish('main', 'build@1', ok()),
      walk.note(notice),
      walk.fail('terminated', failure),
      walk.cancel(),
    ]) {
      expect(step).toMatchObject({
        events: [],
        work: [],
        stop: [],
        wakeAt: null,
        more: false,
        unsettled: false,
        ended: true,
      });
    }
    expect(run.takenOver().advance()).toEqual([]);
  });

  it('hears what others append', () => {
    const run = aRun(CHAIN).at('build');
    const request = { event: 'run.cancel.requested', properties: { action: 'cancel' }, id: 'e', ts: 't' } as const;
    run.walk.hear(request);
    expect(run.walk.state.cancelRequested).toBe(true);
    expect(run.take(run.walk.advance())).toEqual([]);
  });

  // start -> one     (the log was written for another graph)
  it('fails a run whose log names a node that the graph does not have', () => {
    const run = aRun('start -> one -> exit').at('one');
    const way = {
      from_node: 'one',
      to_node: 'two',
      reason: 'unconditional',
      stage_status: 'succeeded',
      is_jump: false,
    } as const;
    run.walk.note({ event: 'edge.selected', node_id: 'one', properties: way });
    expect(run.advance()).toEqual([
      'run.failed: workflow_error, The walk leads to node "two", which the graph does not have.',
    ]);
  });
});
