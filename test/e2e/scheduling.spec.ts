import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiCaller, command, workflow } from '../support/api-caller.js';
import { faultsIn } from '../support/checker.js';
import { testServer, type TestServer } from '../support/server.js';

const RUNS = '/api/v1/runs';

describe('with room for one run', () => {
  const long = workflow(`${command('long', 'sleep 60')} start -> long -> exit`);
  const trivial = workflow('start -> exit');

  let server: TestServer;
  let caller: ApiCaller;
  beforeEach(async () => {
    server = await testServer({ limit: 1 });
    caller = server.caller;
  });
  afterEach(async () => {
    const faults = await faultsIn(server.databaseUrl, { views: server.platform.views, limit: 1 });
    await server.close();
    expect(faults).toEqual([]);
  });

  it('keeps the others in the order in which they were started', async () => {
    const quick = workflow(`${command('quick', 'sleep 0.2')} start -> quick -> exit`);
    const first = await caller.begin(long);
    await caller.logs(first.id, 'command.started');
    const waiting: string[] = [];
    for (let i = 0; i < 3; i++) waiting.push((await caller.begin(quick)).id);

    const shown = await Promise.all(waiting.map((id) => caller.get(id)));
    expect(shown.map(({ lifecycle }) => [lifecycle.status.kind, lifecycle.queue_position])).toEqual([
      ['runnable', 1],
      ['runnable', 2],
      ['runnable', 3],
    ]);
    await caller.cancel(first.id);
    const ended = await Promise.all(waiting.map((id) => caller.ends(id)));
    const starts = ended.map(({ timestamps }) => Date.parse(timestamps.started_at!));
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect(ended.map(({ lifecycle }) => lifecycle.queue_position)).toEqual([null, null, null]);
  });

  it('gives the slot of a run that waits for long to another one', async () => {
    const patient = await caller.begin(workflow('pause [shape=insulator, duration="3s"] start -> pause -> exit'));
    const parked = await caller.logs(patient.id, 'run.parked');
    const other = await caller.finish(trivial);
    expect(other.lifecycle.status.kind).toBe('succeeded');
    expect(Date.parse(other.timestamps.completed_at!)).toBeLessThan(Date.parse(String(parked.properties?.wake_at)));

    const woken = await caller.ends(patient.id);
    expect(woken.lifecycle.status.kind).toBe('succeeded');
    const pausedMs = Date.parse(woken.timestamps.completed_at!) - Date.parse(woken.timestamps.started_at!);
    expect(pausedMs).toBeGreaterThanOrEqual(3_000);
    expect(pausedMs).toBeLessThan(8_000);
  });

  describe('cancelling', () => {
    const CANCELLED = { kind: 'failed', reason: 'cancelled' };

    it('ends a run that was never started, and one that waits for a slot, at once', async () => {
      const submitted = await caller.create(trivial);
      expect((await caller.cancel(submitted.id)).lifecycle.status).toEqual(CANCELLED);

      const first = await caller.begin(long);
      const runnable = await caller.begin(trivial);
      expect(runnable.lifecycle.status.kind).toBe('runnable');
      const cancelled = await caller.cancel(runnable.id);
      expect(cancelled.lifecycle).toMatchObject({ status: CANCELLED, pending_control: null, queue_position: null });
      await caller.cancel(first.id);
      expect((await caller.ends(first.id)).lifecycle.status).toEqual(CANCELLED);
    });

    it('ends a run that waits without a worker at once', async () => {
      const { id } = await caller.begin(workflow('pause [shape=insulator, duration="1h"] start -> pause -> exit'));
      await caller.logs(id, 'run.parked');
      expect((await caller.cancel(id)).lifecycle.status).toEqual(CANCELLED);
      expect((await caller.stages(id)).map(({ id: stage, status }) => [stage, status])).toEqual([
        ['start@1', 'succeeded'],
        ['pause@1', 'cancelled'],
      ]);
    });

    it('asks a run that is at work, once, and stops its command', async () => {
      const script = 'trap "sleep 1; exit 0" TERM; sleep 60 & wait';
      const { id } = await caller.begin(workflow(`${command('stubborn', script)} start -> stubborn -> exit`));
      await caller.logs(id, 'command.started');
      for (let times = 1; times <= 2; times++) {
        const { status, pending_control } = (await caller.cancel(id)).lifecycle;
        expect([status.kind, pending_control]).toEqual(['running', 'cancel']);
      }
      const run = await caller.ends(id);
      expect(run.lifecycle).toMatchObject({ status: CANCELLED, pending_control: null });
      expect(await caller.stages(id)).toMatchObject([{ id: 'start@1' }, { id: 'stubborn@1', status: 'cancelled' }]);
      const requests = (await caller.events(id)).filter(({ event }) => event === 'run.cancel.requested');
      expect(requests).toHaveLength(1);
    });

    it('is refused once the run is over', async () => {
      const { id } = await caller.finish(trivial);
      const answer = await caller.send('POST', `${RUNS}/${id}/cancel`);
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({
        errors: [{ status: '409', title: 'Conflict', detail: expect.stringContaining('succeeded') }],
      });
      expect((await caller.send('POST', `${RUNS}/${id}/start`)).status).toBe(409);
      const { id: cancelled } = await caller.create(trivial);
      await caller.cancel(cancelled);
      const again = await caller.send('POST', `${RUNS}/${cancelled}/cancel`);
      const detail = `Run ${cancelled} is cancelled; it cannot be cancelled.`;
      expect([again.status, again.body]).toMatchObject([409, { errors: [{ detail }] }]);
    });
  });
});

describe('where no worker lives', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await testServer({ limit: 1, worker: false });
  });
  afterEach(() => server.close());

  it('a run that holds the slot can be cancelled all the same, and gives it to the next', async () => {
    const { caller } = server;
    const trivial = workflow('start -> exit');
    const { id } = await caller.begin(trivial);
    const next = await caller.begin(trivial);
    expect((await caller.cancel(id)).lifecycle).toMatchObject({ pending_control: 'cancel' });
    const run = await caller.ends(id);
    expect(run.lifecycle).toMatchObject({ status: { kind: 'failed', reason: 'cancelled' }, pending_control: null });
    await caller.reaches(next.id, 'starting');
    const faults = await faultsIn(server.databaseUrl, { views: server.platform.views, limit: 1 });
    expect(faults).toEqual([]);
  });
});
