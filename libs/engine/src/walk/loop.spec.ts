import { describe, expect, it } from '@jest/globals';
import { aRun, fails, ok } from '../../../../test/support/a-run.js';
import { failed } from '../stage/outcome.js';

describe('an edge that restarts the loop', () => {
  // start -> plan -> work ; work -again-> plan (restarts) ; work -> exit
  const LOOP = `start -> plan -> work; work -> exit
    work -> plan [label=again, loop_restart=true, condition="context.again=yes || outcome=failed"]`;
  const again = ok({ contextUpdates: { again: 'yes' } });

  it('forgets context and outcomes of the path, and keeps the visits', () => {
    const run = aRun(LOOP).at('work');
    expect(run.ends(again)).toEqual([
      'stage.completed work@1 succeeded',
      'edge.selected work -> plan, condition',
      'checkpoint.completed 3',
      'loop.restart work -> plan',
      'run.started',
      'run.running',
      'stage.started plan@2',
    ]);
    expect(run.walk.cursor).toMatchObject({ context: {}, last: null, visits: { start: 1, plan: 2, work: 1 } });
    expect(run.walk.state).toMatchObject({ outcomes: {} });
    expect(run.walk.cursor.signatures).toEqual({ failures: {}, restarts: {} });
    expect(run.log.at(-5)).toMatchObject({ event: 'checkpoint.completed', properties: { next_node_id: 'plan' } });
    expect(run.play().path).toEqual(['start@1', 'plan@1', 'work@1', 'plan@2', 'work@2', 'exit@1']);
  });

  it('is taken after a fault that may pass', () => {
    const run = aRun(LOOP).at('work');
    expect(run.ends(fails('connection reset', 'transient_infra'))).toContain('loop.restart work -> plan');
  });

  it.each(['deterministic', 'structural', 'budget_exhausted', 'canceled'] as const)(
    'is refused after a %s failure, and the run fails',
    (category) => {
      const run = aRun(LOOP).at('work');
      expect(run.ends(fails('exit code 3', category))).toEqual([
        'stage.failed work@1',
        `run.failed: workflow_error, loop_restart blocked: failure_class=${category} (requires transient_infra), failure_reason=exit code 3`,
      ]);
    },
  );

  it('is taken for the same failure only so often', () => {
    const run = aRun(`loop_restart_signature_limit=2 ${LOOP}`).play({
      work: fails('reset by 10.0.0.7', 'transient_infra'),
    });
    expect(run.path).toEqual(['start@1', 'plan@1', 'work@1', 'plan@2', 'work@2']);
    expect(run.end).toBe(
      'run.failed: workflow_error, loop_restart circuit breaker: node "work" failed 2 times in the same way (loop_restart_signature_limit=2)',
    );
    expect(run.log.at(-1)?.properties).toMatchObject({
      failure: {
        detail: { signature: 'work|transient_infra|reset by <n>.<n>.<n>.<n>', causes: ['reset by 10.0.0.7'] },
      },
    });
  });

  it('is taken after a success as often as one likes', () => {
    const run = aRun(`loop_restart_signature_limit=1 ${LOOP}`).play({ work: [again, again, again, ok()] });
    expect(run.end).toBe('run.completed: completed');
    expect(run.path).toContain('work@4');
  });

  it('is still bounded by the visits of a node', () => {
    const run = aRun(`work [max_visits=2] ${LOOP}`).play({ work: again });
    expect(run.end).toMatch(/node "work" visited 2 times/);
  });

  it('leads to the same place for whoever reads the log', () => {
    const run = aRun(LOOP).at('work');
    run.ends(again);
    expect(run.takenOver().walk.state).toEqual(run.walk.state);
  });
});

describe('the circuit breaker', () => {
  // start -> work -> work …
  const LOOP = 'start -> work -> work; other -> exit';

  it.each(['deterministic', 'structural'] as const)(
    'ends a run that fails for the third time in the same %s way',
    (category) => {
      const run = aRun(LOOP).play({
        work: [fails('exit 1', category), fails('exit 22', category), fails('exit 7', category)],
      });
      expect(run.path).toEqual(['start@1', 'work@1', 'work@2', 'work@3']);
      expect(run.end).toBe(
        `run.failed: workflow_error, deterministic failure cycle detected: node "work" failed 3 times in the same way (loop_restart_signature_limit=3)`,
      );
      expect(run.log.at(-1)?.properties).toMatchObject({
        failure: { detail: { signature: `work|${category}|exit <n>`, causes: ['exit 7'] } },
      });
    },
  );

  it('says it in one sentence, whatever the failure quotes', () => {
    const run = aRun(LOOP).play({ work: fails('Script failed with exit code: 1\n\n## output\nmany\nlines') });
    expect(run.end).not.toContain('\n');
  });

  it('leaves the end to a smaller bound of visits', () => {
    const run = aRun(`work [max_visits=2] ${LOOP}`).play({ work: fails() });
    expect(run.end).toMatch(/node "work" visited 2 times \(node limit 2\)/);
  });

  it('counts a stage once, however often it was tried', () => {
    const failure = { message: 'exit 1', category: 'deterministic' } as const;
    const run = aRun(`work [max_retries=4] ${LOOP}`).play({ work: failed(failure, {}, { retryWanted: true }) });
    expect(run.path.filter((stage) => stage.startsWith('work'))).toHaveLength(3);
  });

  it('does not add up different failures, nor those of different nodes', () => {
    const results = [fails('one'), fails('two'), fails('one'), fails('two'), ok()];
    const graph = 'start -> work; work -> exit [condition="outcome=succeeded"]; work -> work';
    expect(aRun(graph).play({ work: results }).end).toBe('run.completed: completed');
    const chain = 'start -> a -> b -> c -> d -> exit';
    expect(aRun(chain).play(() => fails()).end).toBe('run.completed: completed');
  });

  it.each(['transient_infra', 'budget_exhausted', 'canceled'] as const)('leaves %s failures alone', (category) => {
    const run = aRun(`max_node_visits=7 ${LOOP}`).play({ work: fails('x', category) });
    expect(run.end).toMatch(/visited 7 times/);
  });

  it('remembers through successes', () => {
    const results = [fails(), ok(), fails(), ok(), fails()];
    expect(aRun(LOOP).play({ work: results }).path).toHaveLength(6);
  });

  // start -> work -> gate ; gate -> work …
  it('counts a failure once, however many diamonds look at it', () => {
    const graph = 'gate [shape=diamond] more [shape=diamond] start -> work -> gate -> more -> work; other -> exit';
    const run = aRun(graph).play({ work: fails() });
    expect(run.path.filter((stage) => stage.startsWith('work'))).toHaveLength(3);
  });

  it('opens where the graph says', () => {
    const run = aRun(`loop_restart_signature_limit=1 ${LOOP}`).play({ work: fails() });
    expect(run.path).toEqual(['start@1', 'work@1']);
  });
});
