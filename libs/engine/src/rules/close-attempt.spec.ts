import { describe, expect, it } from '@jest/globals';
import { encodeEvent } from '#libs/events';
import { failed, type AttemptResult } from '../stage/outcome.js';
import { ARun, aRun, fails, faults, ok, wantsRetry } from '../../../../test/support/a-run.js';

// start -> build -> exit
const build = (attributes: string): string => `build [${attributes}] start -> build -> exit`;

describe('an attempt that ended with a fault', () => {
  it('is followed by the next one, after a rest, in the same stage', () => {
    const run = aRun(build('max_retries=2')).at('build');
    expect(run.ends(faults())).toEqual([
      'stage.failed build@1, will retry',
      'stage.retrying build@1 attempt 2 in 5000 ms',
    ]);
    expect(run.last).toMatchObject({ work: [], wakeAt: run.now + 5_000, ended: false });
    expect(run.advance()).toEqual([]);

    expect(run.sleep()).toEqual(['stage.started build@1 attempt 2']);
    expect(run.last?.work).toMatchObject([{ stage: { id: 'build@1', attempt: 2, maxAttempts: 3, execution: 1 } }]);
    expect(run.open?.attemptId).toMatch(/\/build@1\/2\/1$/);
    expect(run.log.at(-1)?.properties).toMatchObject({ graph_visit: 1, index: 1 });
  });

  it('rests longer from time to time, spread by the dice', () => {
    const delays = (random: number): number[] => {
      const { log } = aRun(build('max_retries=4'), { random }).play({ build: faults() });
      return log.flatMap((event) => (event.event === 'stage.retrying' ? [event.properties.delay_ms] : []));
    };
    expect(delays(0.5)).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect(delays(0)).toEqual([2_500, 5_000, 10_000, 20_000]);
  });

  it('fails the stage once no attempt is left', () => {
    const run = aRun(build('retry_policy=linear')).play({ build: faults() });
    const sentences = run.log.filter(({ stage_id }) => stage_id === 'build@1').map(({ event }) => event);
    expect(sentences).toEqual([
      'stage.started',
      ...['stage.failed', 'stage.retrying', 'stage.started'],
      ...['stage.failed', 'stage.retrying', 'stage.started'],
      'stage.failed',
      'edge.selected',
      'checkpoint.completed',
    ]);
    expect(run.walk.state.outcomes.build).toBe('failed');
  });

  it('leaves no trace in the outcome when a later one does well', () => {
    const run = aRun(build('goal_gate=true, max_retries=1')).play({ build: [faults(), ok()] });
    expect(run.end).toBe('run.completed: completed');
    expect(run.walk.cursor.signatures.failures).toEqual({});
  });

  it('takes the number of attempts from the graph where the node names none', () => {
    const run = aRun(`default_max_retries=1 ${build('goal_gate=true')}`).play({ build: [faults(), ok()] });
    expect(run.end).toBe('run.completed: completed');
  });

  it.each([
    ['a failed outcome', fails()],
    ['a fault that will not pass', { kind: 'error', failure: faulty(), retryable: false } as const],
  ])('is not tried again when it is %s', (_, result) => {
    const run = aRun(build('max_retries=3')).at('build');
    expect(run.ends(result)[0]).toBe('stage.failed build@1');
  });

  it.each<[string, AttemptResult, string]>([
    ['by its class', fails('no', 'budget_exhausted'), 'a budget_exhausted failure does not pass by itself'],
    ['by the cancel', fails('no', 'canceled'), 'it was cancelled'],
    ['as its handler has it', failed(faulty(), {}, { finalBecause: 'exit codes are final' }), 'exit codes are final'],
  ])('says why no other attempt follows while some are left: %s', (_, result, reason) => {
    const failure = (attributes: string) => {
      const run = aRun(`default_max_retries=0 ${build(attributes)}`).play({ build: result });
      return run.log.find(({ event }) => event === 'stage.failed')?.properties;
    };
    expect(failure('max_retries=3')).toMatchObject({ will_retry: false, no_retry_reason: reason });
    expect(failure('')).not.toHaveProperty('no_retry_reason');
  });

  it('says nothing of that once all attempts are spent', () => {
    const run = aRun(build('max_retries=1')).play({ build: faults() });
    expect(run.log.filter(({ event }) => event === 'stage.failed').at(-1)?.properties).not.toHaveProperty(
      'no_retry_reason',
    );
  });

  it('promises attempts only where there may be some', () => {
    const graph = 'default_max_retries=2 look [shape=diamond] fork [shape=component] join [shape=tripleoctagon]';
    const run = aRun(`${graph} start -> build -> look -> fork; fork -> a -> join; fork -> b -> join -> exit`).play();
    const promised = run.log.flatMap((event) =>
      event.event === 'stage.started' ? `${event.node_id} ${event.properties.max_attempts}` : [],
    );
    expect(promised.sort()).toEqual(['a 3', 'b 3', 'build 3', 'exit 1', 'fork 1', 'join 3', 'look 1', 'start 1']);
  });

  it('names what failed by a signature that forgets numbers and hashes', () => {
    const run = aRun(build('')).play({ build: faults('Script timed out after 100ms: make 7') });
    const failed = run.log.find(({ event }) => event === 'stage.failed');
    const signature = 'build|transient_infra|script timed out after 100ms: make <n>';
    expect(failed?.properties).toMatchObject({ failure: { signature } });
  });
});

it('keeps the signature that a failure brings along', () => {
  const failure = { message: 'too many requests', category: 'transient_infra', signature: 'rate_limited' } as const;
  const run = aRun(build('')).play({ build: { kind: 'error', failure, retryable: false } });
  expect(run.log.find(({ event }) => event === 'stage.failed')?.properties).toMatchObject({ failure });
});

describe('what is recorded when a stage did not simply succeed', () => {
  const ended = (run: ARun) =>
    run.log.find(({ event, stage_id }) => event.endsWith('ed') && stage_id === 'build@1' && event !== 'stage.started');

  it('allow_partial makes a partial success of an outcome that asked for another attempt', () => {
    const run = aRun(build('allow_partial=true, max_retries=1')).at('build');
    expect(run.ends(wantsRetry())[0]).toBe('stage.failed build@1, will retry');
    run.sleep();
    expect(run.ends(wantsRetry())[0]).toBe('stage.completed build@1 partially_succeeded');
    expect(run.log.at(-6)?.properties).toMatchObject({ failure: { message: 'no answer' } });
  });

  it('takes a partial success for no failure when it is routed on', () => {
    const run = aRun('build [allow_partial=true] start -> build -> check -> exit').at('build');
    run.ends(wantsRetry());
    expect(run.walk.lookup('outcome')).toBe('partially_succeeded');
    expect(run.walk.lookup('failure_class')).toBe('');
    expect(run.walk.cursor.last).toEqual({ node: 'build', status: 'partially_succeeded' });
  });

  it.each([
    ['an outcome that simply failed', fails()],
    ['a fault', faults()],
  ])('allow_partial changes nothing about %s', (_, result) => {
    expect(aRun(build('allow_partial=true')).at('build').ends(result)[0]).toBe('stage.failed build@1');
  });

  it.each([
    ['a failure', fails()],
    ['a fault', faults()],
    ['a partial success', ok({ status: 'partially_succeeded' })],
  ])('auto_status makes a success of %s', (_, result) => {
    const run = aRun(build('auto_status=true, goal_gate=true')).play({ build: result });
    expect(ended(run)).toMatchObject({
      event: 'stage.completed',
      properties: { status: 'succeeded', notes: 'auto-status: handler completed without writing status' },
    });
    expect(run.end).toBe('run.completed: completed');
    expect(run.walk.cursor.signatures.failures).toEqual({});
  });

  it('auto_status leaves a skipped stage skipped', () => {
    const run = aRun(build('auto_status=true')).play({ build: ok({ status: 'skipped' }) });
    expect(ended(run)?.properties).toMatchObject({ status: 'skipped' });
  });

  it('keeps what a failed stage wrote into the context', () => {
    const run = aRun('start -> build -> check -> exit').at('build');
    const failure = { message: 'no', category: 'deterministic' } as const;
    const contextUpdates = { 'command.output': 'half of it' };
    run.ends({ kind: 'outcome', outcome: { status: 'failed', failure, contextUpdates } });
    expect(run.walk.cursor.context).toEqual(contextUpdates);
    expect(run.walk.lookup('outcome')).toBe('failed');
    expect(run.walk.lookup('failure_class')).toBe('deterministic');
  });
});

function faulty() {
  return { message: 'No such language.', category: 'structural' } as const;
}

it('whatever it reports, its event says it in brief and the log folds to the same state', () => {
  const long = 'w'.repeat(300_000);
  const run = aRun(build('max_retries=0')).play({
    build: { kind: 'outcome', outcome: { status: 'succeeded', notes: long, preferredLabel: long } },
  });
  for (const event of run.log) encodeEvent(run.definition.runId, event);
  expect(run.walk.state.cursors.main!.context).toMatchObject({
    preferred_label: expect.stringMatching(/^w+…$/),
  });
  expect(new ARun(run.definition, run.log, 2).walk.state).toEqual(run.walk.state);
});

it('a failure of any length ends the run with its beginning', () => {
  const run = aRun(build('max_retries=0')).play({ build: fails('f'.repeat(300_000)) });
  for (const event of run.log) encodeEvent(run.definition.runId, event);
  expect(new ARun(run.definition, run.log, 2).walk.state).toEqual(run.walk.state);
});
