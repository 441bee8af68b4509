import { describe, expect, it } from '@jest/globals';
import { aLog, aStage, created, MIDNIGHT, runCompleted, runFailed, took } from '../../../../test/support/a-log.js';
import type { RunEvent } from '../envelope.js';
import { applyToRunView, beginRunView, timingAt, type RunView } from './run-view.js';

function view(...events: RunEvent[]): RunView {
  const [first, ...rest] = aLog(created(), ...events);
  return rest.reduce(applyToRunView, beginRunView(first!));
}

const plain = (event: 'run.starting' | 'run.running' | 'run.removing'): RunEvent => ({ event, properties: {} });
const submitted: RunEvent = { event: 'run.submitted', properties: { definition_blob: 'a' } };
const runnable: RunEvent = { event: 'run.runnable', properties: { source: 'start_requested' } };
const started: RunEvent = { event: 'run.started', properties: { name: 'Ship' } };
const cancel: RunEvent = { event: 'run.cancel.requested', properties: { action: 'cancel' } };
const underway = [submitted, runnable, plain('run.starting'), started, plain('run.running')];
const build = aStage('build@1');

describe('the view of a run', () => {
  it('begins with what its creation says', () => {
    const source = { parent_id: '01JP', source_directory: '/src', web_url: 'https://runs/1' };
    const [first] = aLog(created({ ...source, git: { origin_url: 'o', branch: 'main' } }));
    expect(beginRunView(first!)).toMatchObject({
      ...source,
      id: '01J0000000000000000000000A',
      title: 'Ship it',
      goal: 'Ship',
      labels: { team: 'x' },
      workflow: { slug: 'ship', node_count: 3 },
      git: { origin_url: 'o', branch: 'main' },
      created_by: { kind: 'system', system_kind: 'engine' },
      status: { kind: 'submitted' },
      pending_control: null,
      sandbox: { kind: 'planned', plan: { provider: 'local' } },
      timestamps: { created_at: '2030-01-01T00:00:00.000Z', started_at: null, completed_at: null },
    });
    expect(view()).toMatchObject({ parent_id: null, source_directory: null, git: null, web_url: null });
  });

  it('costs what every call of a model cost, also while it runs and when it is cancelled', () => {
    const [one, two] = [aStage('a@1', 'agent'), aStage('b@1', 'agent')];
    const calls = [one.started(), one.answered(1, 10), two.started(), two.answered(2)];
    expect(view().billing).toBeNull();
    expect(view(...calls).billing).toMatchObject({ total_tokens: 3, total_usd_micros: 10 });
    expect(view(...underway, ...calls, runFailed('cancelled')).billing).toMatchObject({ total_tokens: 3 });
  });

  it('begins with nothing else', () => {
    const [first] = aLog(submitted);
    expect(() => beginRunView(first!)).toThrow(/begins with run.submitted, not with run.created/);
  });

  it('moves with the events of its life', () => {
    const life = [...underway, runCompleted()];
    const kinds = life.map((_, n) => view(...life.slice(0, n + 1)).status.kind);
    expect(kinds).toEqual(['submitted', 'runnable', 'starting', 'starting', 'running', 'succeeded']);
    expect(view(...life).status).toEqual({ kind: 'succeeded', reason: 'completed' });
    expect(view(...life, plain('run.removing')).status).toEqual({ kind: 'removing' });
  });

  it('keeps the moments of its life', () => {
    expect(view(...underway, runCompleted()).timestamps).toEqual({
      created_at: '2030-01-01T00:00:00.000Z',
      started_at: '2030-01-01T00:00:04.000Z',
      last_event_at: '2030-01-01T00:00:06.000Z',
      completed_at: '2030-01-01T00:00:06.000Z',
    });
  });

  it('says why it failed', () => {
    const failed = view(...underway, runFailed('workflow_error'));
    expect(failed).toMatchObject({ status: { kind: 'failed', reason: 'workflow_error' }, error: { message: 'No.' } });
  });

  it('shows a request to cancel until the run has ended', () => {
    expect(view(...underway, cancel)).toMatchObject({ status: { kind: 'running' }, pending_control: 'cancel' });
    const cancelled = view(...underway, cancel, runFailed('cancelled'));
    expect(cancelled).toMatchObject({ status: { kind: 'failed', reason: 'cancelled' }, pending_control: null });
  });

  it('keeps what is noted about it, whether it is over or not', () => {
    const linked: RunEvent = { event: 'run.parent.linked', properties: { parent_id: '01JP' } };
    const unlinked: RunEvent = { event: 'run.parent.unlinked', properties: { previous_parent_id: '01JP' } };
    const titled: RunEvent = { event: 'run.title.updated', properties: { title: 'Other' } };
    const target = { target_checkpoint_ordinal: 1, target_node_id: 'build', target_visit: 1 };
    const superseded: RunEvent = { event: 'run.superseded_by', properties: { new_run_id: '01JN', ...target } };
    const archived: RunEvent = { event: 'run.archived', properties: {} };
    for (const life of [[submitted], [...underway, runCompleted()]]) {
      const { status } = view(...life);
      expect(view(...life, linked, titled)).toMatchObject({ status, parent_id: '01JP', title: 'Other' });
      expect(view(...life, linked, unlinked)).toMatchObject({ status, parent_id: null });
      expect(view(...life, superseded)).toMatchObject({ status, superseded_by: '01JN' });
      const later = view(...life, archived);
      expect(later).toMatchObject({ status, archived_at: later.timestamps.last_event_at });
      expect(view(...life, archived, { event: 'run.unarchived', properties: {} }).archived_at).toBeNull();
    }
  });

  it('knows the run that it tries again', () => {
    const [first] = aLog(created({ retried_from: '01JS' }));
    expect(beginRunView(first!).retried_from).toBe('01JS');
    expect(view()).toMatchObject({ retried_from: null, superseded_by: null, archived_at: null });
  });

  it('can be cancelled before it ran', () => {
    expect(view(submitted, runFailed('cancelled')).status).toEqual({ kind: 'failed', reason: 'cancelled' });
  });

  it('makes no move that the table forbids, and is no less readable for it', () => {
    const ended = view(...underway, runCompleted(took(5)));
    const { status, error, timing, timestamps } = view(
      ...underway,
      runCompleted(took(5)),
      runFailed('cancelled', took(9)),
    );
    expect({ status, error, timing }).toEqual({ status: ended.status, error: null, timing: took(5) });
    expect(timestamps.completed_at).toBe(ended.timestamps.completed_at);
    expect(view(...underway, runCompleted(), plain('run.running')).status.kind).toBe('succeeded');
    expect(view(plain('run.running')).status.kind).toBe('submitted');
  });

  it('follows its sandbox', () => {
    const initializing: RunEvent = { event: 'sandbox.initializing', properties: { provider: 'local' } };
    const facts = { provider: 'local', id: 's1', working_directory: '/src' };
    const initialized: RunEvent = { event: 'sandbox.initialized', properties: facts };
    const failure = { provider: 'local', error: 'no disk', causes: [], duration_ms: 3 };
    expect(view(initializing).sandbox).toEqual({ kind: 'initializing', plan: { provider: 'local' } });
    expect(view(initializing, initialized).sandbox).toMatchObject({
      kind: 'ready',
      instance: { id: 's1', working_directory: '/src', image: null },
    });
    expect(view(initializing, { event: 'sandbox.failed', properties: failure }).sandbox).toMatchObject({
      kind: 'failed',
      failure,
    });
  });
});

describe('the time of a run', () => {
  const attempts = [build.started(), build.failed(true, took(100)), build.started(2), build.completed(took(30, 40))];

  it('is nothing before it began', () => {
    expect(timingAt(view(submitted), MIDNIGHT)).toBeNull();
  });

  it('is that of all attempts so far, and of the clock while it lives', () => {
    const now = MIDNIGHT + 4_000 + 60_000;
    expect(timingAt(view(...underway, ...attempts), now)).toEqual({ ...took(130), wall_time_ms: 60_000 });
    expect(timingAt(view(...underway), MIDNIGHT)).toEqual(took(0));
  });

  it('is what the end says, from then on', () => {
    const ended = view(...underway, ...attempts, runCompleted(took(130, 9_000)));
    expect(timingAt(ended, MIDNIGHT + 86_400_000)).toEqual(took(130, 9_000));
    expect(timingAt(view(submitted, runFailed('cancelled')), MIDNIGHT)).toEqual(took(0));
  });
});
