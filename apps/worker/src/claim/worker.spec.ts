import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ClaimedRun, RunKey } from '#libs/engine';
import type { RunEvent, RunSpec } from '#libs/events';
import { DEFAULT_TENANT, type JsonObject, type RunId } from '#libs/kernel';
import { compile } from '#libs/language';
import { anEvent } from '../../../../test/support/a-held-run.js';
import { commandsDo } from '../../../../test/support/a-driven-run.js';
import { created } from '../../../../test/support/a-log.js';
import { ok } from '../../../../test/support/a-run.js';
import { driverParts } from '../../../../test/support/driver-parts.js';
import { InMemoryRunBell } from '../../../../test/support/in-memory-run-bell.js';
import { InMemoryRuns, InMemoryRunStore } from '../../../../test/support/in-memory-run-store.js';
import { until } from '../../../../test/support/until.js';
import { createLogger } from '#libs/server-runtime';
import { Worker } from './worker.js';

/** Remembers which runs were claimed, in their order. */
class RecordedClaims extends InMemoryRunStore {
  readonly claims: RunId[] = [];

  override async claim(owner: string, limit: number, hints?: readonly RunKey[]): Promise<ClaimedRun[]> {
    const claimed = await super.claim(owner, limit, hints);
    this.claims.push(...claimed.map(({ lease }) => lease.runId));
    return claimed;
  }
}

function workerOn(store: InMemoryRunStore, slots: number): Worker {
  return new Worker(driverParts(store), new InMemoryRunBell(), createLogger('silent', 'test'), { slots });
}

// start -> rest -> exit
const RESTING = `digraph Spec {
  start [shape=Mdiamond] exit [shape=Msquare] rest [shape=insulator, duration="200ms"]
  start -> rest -> exit
}`;

// start -> work -> exit
const COMMAND = `digraph Spec {
  start [shape=Mdiamond] exit [shape=Msquare] work [shape=parallelogram, script="x"]
  start -> work -> exit
}`;

function heldRun(runs: InMemoryRuns, letter: string, source = RESTING): RunKey {
  const run = { tenantId: DEFAULT_TENANT, runId: letter.padStart(26, '0') as RunId };
  const settings = { run: { goal: null, execution: { mode: 'normal' }, environment: { env: {} } } };
  const { graph } = compile(source);
  const spec: RunSpec = { graph: graph as unknown as JsonObject, settings, workflow_source: source };
  const submitted: RunEvent = { event: 'run.submitted', properties: { definition_blob: 'a'.repeat(64) } };
  runs.submit(run, spec, 'a'.repeat(64), [created(), submitted].map(anEvent));
  runs.start(run);
  return run;
}

it('gives a slot that gets free to a run that lost its worker before one that was rung for meanwhile', async () => {
  const runs = new InMemoryRuns();
  const store = new RecordedClaims(runs);
  const worker = workerOn(store, 1);
  const first = heldRun(runs, 'A');
  await worker.start();
  expect(store.claims).toEqual([first.runId]);

  const lost = heldRun(runs, 'B');
  await new InMemoryRunStore(runs).claim('victim', 1, [lost]);
  const fresh = heldRun(runs, 'C');
  worker.hear({ ...fresh, epoch: 1 });
  runs.expireLease(lost);
  await until(() => store.claims.length === 3, 'all were claimed');
  expect(store.claims).toEqual([first, lost, fresh].map(({ runId }) => runId));
  await worker.stop(1_000);
});

it('claims nothing while it cannot renew, and goes on once it can', async () => {
  const runs = new InMemoryRuns();
  const store = new RecordedClaims(runs);
  const renew = jest.spyOn(store, 'renew').mockRejectedValue(new Error('too many connections'));
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'hrtime', 'Date'] });
  try {
    const parts = { ...driverParts(store), ...commandsDo(() => new Promise(() => undefined)) };
    const worker = new Worker(parts, new InMemoryRunBell(), createLogger('silent', 'test'), { slots: 3 });
    const first = heldRun(runs, 'A', COMMAND);
    await worker.start();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(renew).toHaveBeenCalledTimes(1);

    const second = heldRun(runs, 'B', COMMAND);
    worker.hear({ ...second, epoch: 1 });
    await jest.advanceTimersByTimeAsync(7_000);
    expect(store.claims).toEqual([first.runId]);
    expect(worker.hasFreeSlot).toBe(false);

    renew.mockRestore();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(store.claims).toEqual([first.runId, second.runId]);
    worker.stop(0).catch(() => undefined);
  } finally {
    jest.useRealTimers();
  }
});

describe('stopping', () => {
  afterEach(() => void jest.useRealTimers());

  /** A worker at a command that ends, or does not, as `execute` has it. */
  async function atWork(
    execute: Parameters<typeof commandsDo>[0],
  ): Promise<{ worker: Worker; runs: InMemoryRuns; run: RunKey }> {
    const runs = new InMemoryRuns();
    const run = heldRun(runs, 'A', COMMAND);
    const parts = { ...driverParts(new InMemoryRunStore(runs)), ...commandsDo(execute) };
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'hrtime', 'Date'] });
    const worker = new Worker(parts, new InMemoryRunBell(), createLogger('silent', 'test'), { slots: 1 });
    await worker.start();
    await turns(() => runs.log(run).at(-1)?.event === 'stage.started');
    return { worker, runs, run };
  }

  async function turns(claim: () => boolean): Promise<void> {
    for (let n = 0; n < 1_000 && !claim(); n++) await new Promise((resolve) => setImmediate(resolve));
    expect(claim()).toBe(true);
  }

  it('cuts off what does not end within the grace', async () => {
    const { worker } = await atWork(
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(ok()))),
    );
    const stopped = worker.stop(5_000);
    jest.advanceTimersByTime(5_000);
    await stopped;
    expect(worker.slotsInUse).toBe(0);
  });

  it('gives up 5 s later what does not let it end, and names it', async () => {
    const { worker, runs, run } = await atWork(() => new Promise(() => undefined));
    const stopped = worker.stop(5_000);
    jest.advanceTimersByTime(5_000);
    await turns(() => true);
    jest.advanceTimersByTime(5_000);
    await expect(stopped).rejects.toMatchObject({
      code: 'worker_stuck',
      message: `The worker did not end within 10 s: it is held by run ${run.runId} of tenant default (at work@1).`,
    });
    expect(runs.log(run).at(-1)?.event).toBe('stage.started');
  });

  it('hands over what was claimed while it was asked to stop', async () => {
    const runs = new InMemoryRuns();
    const worker = workerOn(new InMemoryRunStore(runs), 1);
    const run = heldRun(runs, 'A');
    const started = worker.start();
    await Promise.all([worker.stop(5_000), started]);
    expect(worker.slotsInUse).toBe(0);
    expect(runs.log(run).at(-1)?.event).not.toBe('run.completed');
  });
});
