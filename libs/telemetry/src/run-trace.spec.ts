import { describe, expect, it } from '@jest/globals';
import type { RunEvent } from '#libs/events';
import { aLog, aStage, created, MIDNIGHT, runCompleted, runFailed } from '../../../test/support/a-log.js';
import { RunTrace } from './run-trace.js';
import type { RunSpan } from './span.js';
import { spanIdOf, traceIdOf } from './trace-ids.js';

const startRequested: RunEvent = { event: 'run.start_requested', properties: { resume: false } };
const resumeRequested: RunEvent = { event: 'run.start_requested', properties: { resume: true } };
const claimed: RunEvent = { event: 'run.claimed', properties: { worker_id: 'ann', epoch: 1 } };
const build = aStage('build@1');
const asked: RunEvent = {
  ...{ event: 'agent.llm.started', node_id: 'build', stage_id: 'build@1' },
  properties: { visit: 1, requested_model: { provider: 'acme', model_id: 'wise' } },
};

function spansOf(...events: RunEvent[]): readonly RunSpan[] {
  const trace = new RunTrace('acme');
  for (const envelope of aLog(...events)) trace.hear(envelope);
  return trace.spans;
}

/** Each span as `outer > inner`, with its seconds since midnight. */
const drawn = (...events: RunEvent[]): string[] =>
  spansOf(...events).map((span) => {
    const names = [];
    for (let at: RunSpan | null = span; at; at = at.parent) names.unshift(at.name);
    const [from, to] = [span.startMs, span.endMs].map((ms) => (ms - MIDNIGHT) / 1_000);
    return `${names.join(' > ')} ${from}-${to}${span.error === null ? '' : ` ! ${span.error}`}`;
  });

describe('the trace of a run', () => {
  it('is the run, its stages and their attempts with the times of their events', () => {
    expect(drawn(created(), startRequested, claimed, build.started(), build.completed(), runCompleted())).toEqual([
      'run ship > build > attempt 1 3-4',
      'run ship > build 3-4',
      'run ship 1-5',
    ]);
  });

  it('says what it is about and nothing of what was said', () => {
    const spans = spansOf(created({ parent_id: 'P' }), startRequested, claimed, build.started(), runCompleted());
    expect(spans.at(-1)).toMatchObject({
      attributes: { 'runyard.tenant': 'acme', 'runyard.workflow': 'ship', 'runyard.outcome': 'succeeded' },
      marks: [{ name: 'run.claimed', attributes: { 'runyard.worker': 'ann', 'runyard.epoch': 1 } }],
      linkedRuns: ['P'],
    });
    expect(spans[0]?.attributes).toMatchObject({ 'runyard.node': 'build', 'runyard.stage': 'build@1' });
  });

  it('has a span for every attempt, and the failure of each', () => {
    const tries = [build.started(), build.failed(true), build.retrying(2), build.started(2), build.failed()];
    expect(drawn(created(), ...tries, runFailed('workflow_error'))).toEqual([
      'run ship > build > attempt 1 1-2 ! no',
      'run ship > build > attempt 2 4-5 ! no',
      'run ship > build 1-5 ! no',
      'run ship 0-6 ! No.',
    ]);
  });

  it('shows an attempt that was lost with its worker', () => {
    expect(drawn(created(), build.started(1, 1), build.started(1, 2), build.completed(), runCompleted())).toEqual([
      'run ship > build > attempt 1 1-2 ! Its worker was lost.',
      'run ship > build > attempt 1 2-3',
      'run ship > build 1-3',
      'run ship 0-4',
    ]);
  });

  it('shows calls of models inside of the attempt, with their tokens', () => {
    const events = [created(), build.started(), asked, build.answered(7), build.completed(), runCompleted()];
    expect(drawn(...events)[0]).toBe('run ship > build > attempt 1 > chat wise 2-3');
    const [call] = spansOf(...events);
    expect(call).toMatchObject({ isCall: true, attributes: { 'gen_ai.usage.output_tokens': 7 } });
    expect(JSON.stringify(call?.attributes)).not.toContain('Done.');
  });

  it('ends a call that has no end of its own with its attempt, and for the same reason', () => {
    const tries = [build.started(), asked, build.failed(true), build.started(2), asked, build.failed()];
    expect(drawn(created(), ...tries, runFailed('workflow_error'))).toEqual([
      'run ship > build > attempt 1 > chat wise 2-3 ! no',
      'run ship > build > attempt 1 1-3 ! no',
      'run ship > build > attempt 2 > chat wise 5-6 ! no',
      'run ship > build > attempt 2 4-6 ! no',
      'run ship > build 1-6 ! no',
      'run ship 0-7 ! No.',
    ]);
  });

  it('ends a call with the worker that waited for its answer, and not the command that goes on', () => {
    const command = { node_id: 'build', stage_id: 'build@1' };
    const begun = { script: 'make', command: 'make', language: 'shell', timeout_ms: 1_000 };
    const end = {
      output: '',
      exit_code: 0,
      duration_ms: 5,
      termination: 'exited',
      output_bytes: 0,
      live_streaming: true,
    } as const;
    const events: RunEvent[] = [
      ...[created(), build.started(1, 1), asked],
      { event: 'command.started', ...command, properties: begun },
      build.started(1, 2),
      { event: 'command.completed', ...command, properties: end },
      ...[build.completed(), runCompleted()],
    ];
    expect(drawn(...events).slice(0, 3)).toEqual([
      'run ship > build > attempt 1 > chat wise 2-4 ! Its worker was lost.',
      'run ship > build > attempt 1 1-4 ! Its worker was lost.',
      'run ship > build > attempt 1 > command 3-5',
    ]);
  });

  it('shows a hook that did not work as an error', () => {
    const hook = { hook_name: 'guard', point: 'stage_start', kind: 'http' } as const;
    const fault = { decision: 'proceed', duration_ms: 5, error: 'no route' } as const;
    const asked: RunEvent[] = [
      { event: 'hook.started', node_id: 'build', properties: hook },
      { event: 'hook.failed', node_id: 'build', properties: { ...hook, ...fault } },
    ];
    expect(drawn(created(), ...asked, runCompleted())[0]).toBe('run ship > hook guard 1-2 ! no route');
  });

  it('puts the stages of a branch into the branch, and that into the fork', () => {
    const fork = aStage('fork@1', 'parallel');
    const scope = { cursor_id: 'fork@1:0', parallel_branch_id: 'fork@1:0', parallel_group_id: 'fork@1' };
    const branch = { ...scope, node_id: 'build', stage_id: 'fork@1' };
    const inBranch = (event: RunEvent): RunEvent => ({ ...event, ...scope });
    const events: RunEvent[] = [
      ...[created(), fork.started()],
      { event: 'parallel.branch.started', ...branch, properties: { index: 0 } },
      ...[build.started(), build.completed()].map(inBranch),
      { event: 'parallel.branch.completed', ...branch, properties: { index: 0, duration_ms: 2, status: 'succeeded' } },
      ...[fork.completed(), runCompleted()],
    ];
    expect(drawn(...events).slice(0, 3)).toEqual([
      'run ship > fork > attempt 1 > branch 0 > build > attempt 1 3-4',
      'run ship > fork > attempt 1 > branch 0 > build 3-4',
      'run ship > fork > attempt 1 > branch 0 2-5',
    ]);
  });

  it('says of a failure only its first line, since output may follow', () => {
    const detail = { message: 'It failed.\n\n## output\nhunter2', category: 'deterministic' } as const;
    const timing = { wall_time_ms: 0, inference_time_ms: 0, tool_time_ms: 0, active_time_ms: 0 };
    const failed: RunEvent = {
      event: 'run.failed',
      properties: { failure: { reason: 'workflow_error', detail }, timing },
    };
    expect(spansOf(created(), failed)[0]?.error).toBe('It failed.');
  });

  it('ends with the run whatever is still open', () => {
    const spans = spansOf(created(), build.started(), runFailed('cancelled'));
    expect(spans.map(({ attributes }) => attributes['runyard.outcome'])).toEqual([
      'unfinished',
      'unfinished',
      'failed',
    ]);
  });

  it('begins anew with a resume', () => {
    const failed = [created(), build.started(), build.failed(), runFailed('workflow_error')];
    const again = aStage('build@2');
    expect(drawn(...failed, resumeRequested, again.started(), again.completed(), runCompleted())).toEqual([
      'run ship > build > attempt 1 5-6',
      'run ship > build 5-6',
      'run ship 4-7',
    ]);
  });

  it('leaves out what a fork copied', () => {
    const copied = { ...build.started(), origin: { run_id: 'other', seq: 2 } };
    expect(drawn(created(), copied, runCompleted())).toEqual(['run ship 0-2']);
  });
});

it('every span has an id of its own, the same each time, under an id of the run and its tenant', () => {
  const ids = () =>
    spansOf(created(), build.started(), build.completed(), runCompleted()).map((at) => spanIdOf('t', at));
  expect(new Set(ids()).size).toBe(3);
  expect(ids()).toEqual(ids());
  expect(traceIdOf('acme', 'r')).toMatch(/^[0-9a-f]{32}$/);
  expect(traceIdOf('acme', 'r')).not.toBe(traceIdOf('other', 'r'));
});
