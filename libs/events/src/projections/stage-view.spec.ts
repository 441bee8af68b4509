import { describe, expect, it } from '@jest/globals';
import { aLog, aStage, MIDNIGHT, runCompleted, runFailed, took } from '../../../../test/support/a-log.js';
import type { RunEvent } from '../envelope.js';
import { applyToStageViews, isBoundary, stageWallTimeAt, type StageView } from './stage-view.js';

/** The stages after these events, in their order. */
function stages(...events: RunEvent[]): StageView[] {
  const views = new Map<string, StageView>();
  const open = () => [...views.values()].filter(({ ended_at }) => ended_at === null);
  for (const envelope of aLog(...events)) {
    for (const view of applyToStageViews(envelope, (id) => views.get(id), open)) views.set(view.id, view);
  }
  return [...views.values()];
}

const statuses = (...events: RunEvent[]): string[] => stages(...events).map(({ id, status }) => `${id} ${status}`);
const build = aStage('build@1');
const check = aStage('check@1');

describe('the view of a stage', () => {
  it('appears with its first event, as running', () => {
    expect(stages(build.started())).toEqual([
      {
        id: 'build@1',
        first_seq: 1,
        name: 'BUILD',
        node_id: 'build',
        handler: 'command',
        status: 'running',
        visit: 1,
        graph_visit: 1,
        resumed_from_stage_id: null,
        branch: null,
        started_at: '2030-01-01T00:00:00.000Z',
        ended_at: null,
        timing: took(0),
        billing: expect.objectContaining({ total_tokens: 0, total_usd_micros: null }),
        model: null,
      },
    ]);
  });

  it('says which branch of which fork it is in', () => {
    const scope = { parallel_group_id: 'fork@12', parallel_branch_id: 'fork@12:3' };
    const [row] = stages({ ...build.started(), ...scope });
    expect(row?.branch).toEqual({ group_id: 'fork@12', index: 3 });
  });

  it.each([
    [build.completed(), 'succeeded'],
    [build.completed(took(0), 'partially_succeeded'), 'partially_succeeded'],
    [build.completed(took(0), 'skipped'), 'skipped'],
    [build.failed(), 'failed'],
    [build.failed(false, took(0), 'canceled'), 'cancelled'],
    [build.failed(true), 'retrying'],
    [build.retrying(2), 'retrying'],
    [build.waiting(), 'running'],
  ])('%# becomes what its event says', (event, status) => {
    expect(statuses(build.started(), event)).toEqual([`build@1 ${status}`]);
  });

  it('stays one row over retries, and sums their time', () => {
    const [row, ...others] = stages(
      ...[build.started(), build.failed(true, took(100)), build.retrying(2)],
      ...[build.started(2), build.completed(took(30))],
    );
    expect(others).toEqual([]);
    expect(row).toMatchObject({ status: 'succeeded', first_seq: 1, ended_at: '2030-01-01T00:00:04.000Z' });
    expect(row?.timing).toEqual({ ...took(130), wall_time_ms: 4_000 });
  });

  it('is running again with the next attempt', () => {
    const events = [build.started(), build.failed(true), build.retrying(2), build.started(2)];
    expect(statuses(...events)).toEqual(['build@1 running']);
  });

  it('goes on in the same row when another worker takes over', () => {
    const [row, ...others] = stages(build.started(1, 1), build.started(1, 2), build.completed());
    expect(others).toEqual([]);
    expect(row).toMatchObject({ status: 'succeeded', started_at: '2030-01-01T00:00:00.000Z' });
  });

  it('is a row of its own for every execution of the node', () => {
    const again = aStage('build@12');
    const rows = stages(build.started(), build.completed(), again.started());
    expect(rows.map(({ id, visit }) => [id, visit])).toEqual([
      ['build@1', 1],
      ['build@12', 12],
    ]);
  });

  it('is final once it has ended', () => {
    const ended = [build.started(), build.completed(took(5))];
    const before = stages(...ended);
    for (const late of [
      build.started(2),
      build.retrying(2),
      build.failed(true),
      build.failed(),
      build.completed(took(9)),
    ]) {
      expect(stages(...ended, late)).toEqual(before);
    }
    expect(stages(...ended, runFailed('cancelled'))).toEqual(before);
  });

  it('costs what every call of a model cost, of lost and failed attempts too', () => {
    const [row] = stages(
      ...[build.started(), build.answered(1, 10), build.failed(true), build.retrying(2)],
      ...[build.started(2, 1), build.answered(2), build.started(2, 2), build.answered(3, 5), build.completed()],
    );
    expect(row?.billing).toMatchObject({ output_tokens: 6, total_tokens: 6, total_usd_micros: 15 });
  });

  it('does not come to life by an event that is not its start', () => {
    expect(stages(build.completed(), build.failed(), build.retrying(2))).toEqual([]);
  });
});

describe('the end of a run', () => {
  const events = [build.started(), build.completed(), check.started()];

  it('closes what is still open: as cancelled when the run was', () => {
    expect(statuses(...events, runFailed('cancelled'))).toEqual(['build@1 succeeded', 'check@1 cancelled']);
    const [, row] = stages(...events, runFailed('cancelled'));
    expect(row).toMatchObject({ ended_at: '2030-01-01T00:00:03.000Z', timing: { wall_time_ms: 1_000 } });
  });

  it('and else as failed', () => {
    expect(statuses(...events, runFailed('workflow_error'))).toEqual(['build@1 succeeded', 'check@1 failed']);
  });

  it('closes a stage that rested between two attempts', () => {
    const resting = [build.started(), build.failed(true), build.retrying(2)];
    expect(statuses(...resting, runFailed('cancelled'))).toEqual(['build@1 cancelled']);
  });

  it('leaves alone what has ended', () => {
    expect(statuses(build.started(), build.failed(), runCompleted())).toEqual(['build@1 failed']);
  });
});

it('start and exit bound the walk', () => {
  const rows = stages(aStage('start@1', 'start').started(), build.started(), aStage('exit@1', 'exit').started());
  expect(rows.map(isBoundary)).toEqual([true, false, true]);
});

it('the clock of an open stage runs on, that of an ended one stands still', () => {
  const late = MIDNIGHT + 86_400_000;
  expect(stages(build.started()).map((row) => stageWallTimeAt(row, late))).toEqual([86_400_000]);
  expect(stages(build.started()).map((row) => stageWallTimeAt(row, 0))).toEqual([0]);
  expect(stages(build.started(), build.completed()).map((row) => stageWallTimeAt(row, late))).toEqual([1_000]);
});
