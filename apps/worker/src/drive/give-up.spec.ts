import { describe, expect, it } from '@jest/globals';
import { type Append, type Appended, type Lease } from '#libs/engine';
import type { RunSpec } from '#libs/events';
import { InvariantError } from '#libs/kernel';
import { ObjectStoreUnavailableError } from '#libs/object-store';
import { ADrivenRun, commandsDo } from '../../../../test/support/a-driven-run.js';
import { ok } from '../../../../test/support/a-run.js';
import { InMemoryObjectStore } from '../../../../test/support/in-memory-object-store.js';
import { InMemoryRuns, InMemoryRunStore } from '../../../../test/support/in-memory-run-store.js';
import type { DriveEnd } from './run-driver.js';

// start -> work -> exit, and by way of lost where work has not found it
const WORKING = `digraph Spec {
  start [shape=Mdiamond] exit [shape=Msquare]
  work [shape=parallelogram, script="x", max_retries=0]
  start -> work
  lost [shape=parallelogram, script="x"]
  work -> exit [condition="context.found contains needle"]
  work -> lost -> exit
}`;

/** An object store that takes everything and, while it is away, gives nothing back. */
class LeavingObjectStore extends InMemoryObjectStore {
  isAway = false;

  override getRange(...part: Parameters<InMemoryObjectStore['getRange']>): Promise<Uint8Array | undefined> {
    if (this.isAway) return Promise.reject(new ObjectStoreUnavailableError({ cause: new Error('no route') }));
    return super.getRange(...part);
  }
}

/** Refuses what it is asked to do as a database would that lost something. */
class FaultyStore extends InMemoryRunStore {
  losesSpec = false;
  refusesAppends = false;

  override spec(...run: Parameters<InMemoryRunStore['spec']>): Promise<RunSpec> {
    if (this.losesSpec) return Promise.reject(new InvariantError('The definition is not stored.'));
    return super.spec(...run);
  }

  override append(lease: Lease, append: Append): Promise<Appended> {
    if (this.refusesAppends) return Promise.reject(new RangeError('The event is too large.'));
    return super.append(lease, append);
  }
}

const finding = commandsDo(async () => ok({ contextUpdates: { found: `needle ${'x'.repeat(200_000)}` } }));

function aRun(more = {}): { run: ADrivenRun; store: FaultyStore } {
  const runs = new InMemoryRuns();
  const store = new FaultyStore(runs);
  return { run: new ADrivenRun(WORKING, runs, store, { ...finding, ...more }), store };
}

/** Lets one worker after the other drive the run, as often as there are ends expected. */
async function drives(run: ADrivenRun, count: number): Promise<DriveEnd[]> {
  const ends: DriveEnd[] = [];
  for (let i = 0; i < count; i++) {
    if (i > 0) run.runs.wake(run.key);
    ends.push(await (await run.claimed()).drive());
  }
  return ends;
}

describe('what is away', () => {
  it('gives the run back, however often, costs no worker, and is told once', async () => {
    const objects = new LeavingObjectStore();
    const { run } = aRun({ objects });
    objects.isAway = true;
    expect(await drives(run, 8)).toEqual(Array(8).fill('given_up'));
    expect(run.runs.standing(run.key)).toMatchObject({
      ...{ slot: 'parked', isDead: false, fault: expect.stringContaining('no route') },
    });
    const codes = run.runs.require(run.key).log.map(({ envelope }) => (envelope.properties as { code?: string }).code);
    expect(codes.filter((code) => code === 'drive_deferred')).toHaveLength(1);

    objects.isAway = false;
    run.runs.wake(run.key);
    const next = await run.claimed();
    expect(await next.drive()).toBe('ended');
    expect(run.log.at(-1)).toBe('run.completed');
    expect(run.runs.log(run.key).filter(({ event }) => event === 'stage.failed')).toEqual([]);
  });
});

describe('a defect', () => {
  it('fails the run by name when it ended every try and the state can be read', async () => {
    const { run, store } = aRun();
    store.refusesAppends = true;
    expect(await drives(run, 3)).toEqual(['given_up', 'given_up', 'ended']);
    const { status, error } = run.runs.require(run.key).view;
    expect(status).toEqual({ kind: 'failed', reason: 'workflow_error' });
    expect(error?.message).toContain('The event is too large.');
    expect(run.runs.standing(run.key)).toMatchObject({ slot: 'none', isDead: false });
  });

  it('makes a run dead when it cannot be opened', async () => {
    const { run, store } = aRun();
    store.losesSpec = true;
    expect(await drives(run, 3)).toEqual(['given_up', 'given_up', 'ended']);
    expect(run.runs.standing(run.key)).toMatchObject({
      slot: 'none',
      isDead: true,
      fault: 'The definition is not stored.',
    });
  });

  it('does no harm when it is gone at the next try', async () => {
    const { run, store } = aRun();
    store.losesSpec = true;
    expect(await drives(run, 2)).toEqual(['given_up', 'given_up']);
    store.losesSpec = false;
    run.runs.wake(run.key);
    expect(await (await run.claimed()).drive()).toBe('ended');
    expect(run.log.at(-1)).toBe('run.completed');
  });
});

it('ends a run that is to be cancelled and that nobody can open', async () => {
  const { run, store } = aRun();
  store.losesSpec = true;
  run.runs.change(run.key, [], 'cancel');
  expect(await drives(run, 1)).toEqual(['ended']);
  expect(run.runs.require(run.key).view.status).toEqual({ kind: 'failed', reason: 'cancelled' });
});

it('needs no kept value to cancel a run', async () => {
  const objects = new LeavingObjectStore();
  const { run } = aRun({ objects });
  objects.isAway = true;
  expect(await drives(run, 1)).toEqual(['given_up']);
  run.runs.change(run.key, [], 'cancel');
  run.runs.wake(run.key);
  expect(await (await run.claimed()).drive()).toBe('ended');
  expect(run.runs.require(run.key).view.status).toEqual({ kind: 'failed', reason: 'cancelled' });
});
