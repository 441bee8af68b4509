import { describe, expect, it } from '@jest/globals';
import { aRun, faults, ok } from '../../../../test/support/a-run.js';

// start -> pause -> exit    (pause: a wait of 10 minutes)
const PAUSE = 'pause [shape=insulator, duration=10m] start -> pause -> exit';

describe('a wait node', () => {
  it('needs no worker, and says when it is over', () => {
    const run = aRun(PAUSE);
    expect(run.begin().slice(-2)).toEqual(['stage.started pause@1', 'stage.waiting pause@1']);
    expect(run.last).toMatchObject({ work: [], more: false, ended: false, wakeAt: run.now + 600_000 });
    const until = new Date(run.now + 600_000).toISOString();
    expect(run.log.at(-1)?.properties).toEqual({ kind: 'timer', until });
  });

  it('stays asleep until then, however often it is asked', () => {
    const run = aRun(PAUSE).at('pause');
    run.now += 599_999;
    expect(run.advance()).toEqual([]);
    run.now += 1;
    expect(run.advance()).toEqual([
      'stage.completed pause@1 succeeded',
      'edge.selected pause -> exit, unconditional',
      'checkpoint.completed 2',
      'stage.started exit@1',
      'stage.completed exit@1 succeeded',
      'run.completed: completed',
    ]);
  });

  it('is woken by another worker, that reads the deadline in the log', () => {
    const next = aRun(PAUSE).at('pause').takenOver();
    expect(next.advance()).toEqual([]);
    expect(next.last).toMatchObject({ work: [], wakeAt: next.now + 600_000 });
    expect(next.sleep()).toContain('run.completed: completed');
    expect(next.path).toEqual(['start@1', 'pause@1', 'exit@1']);
  });

  it('that is long over goes on at once', () => {
    const next = aRun(PAUSE).at('pause').takenOver();
    next.now += 86_400_000;
    expect(next.advance()[0]).toBe('stage.completed pause@1 succeeded');
  });

  it('that would wait longer than its limit is cut off there, with an error that may pass', () => {
    const run = aRun(PAUSE.replace('10m', '10m, timeout=90s, max_retries=1')).at('pause');
    const started = run.now;
    expect(run.sleep()).toEqual(['stage.failed pause@1, will retry', 'stage.retrying pause@1 attempt 2 in 5000 ms']);
    expect(run.now - started).toBe(90_000);
    expect(
      run.play().log.find(({ event, properties }) => event === 'stage.failed' && !properties.will_retry),
    ).toMatchObject({
      properties: { failure: { message: 'handler timed out after 90000ms', category: 'transient_infra' } },
    });
    expect(run.now - started).toBe(90_000 + 5_000 + 90_000);
  });

  it('does not sleep in a dry run', () => {
    const run = aRun(PAUSE, { dryRun: true });
    const started = run.now;
    run.play();
    expect([run.end, run.now]).toEqual(['run.completed: completed', started]);
  });
});

describe('the rest between two attempts', () => {
  // start -> build -> exit
  const BUILD = 'build [max_retries=1] start -> build -> exit';

  it('goes on under another worker, which does not rest again', () => {
    const run = aRun(BUILD).at('build');
    run.ends(faults());
    const next = run.takenOver();
    expect(next.advance()).toEqual([]);
    expect(next.sleep()).toEqual(['stage.started build@1 attempt 2']);
    expect(next.last?.work).toMatchObject([
      { stage: { attempt: 2, attemptId: expect.stringMatching(/build@1\/2\/2$/), lostAttemptIds: [] } },
    ]);
    expect(next.ends(ok())).toContain('run.completed: completed');
  });

  it('takes no results', () => {
    const run = aRun(BUILD).at('build');
    run.ends(faults());
    expect(run.ends(faults())).toEqual([]);
    expect(run.open?.doing.what).toBe('backing_off');
  });
});
