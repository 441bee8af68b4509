import { expect, it } from '@jest/globals';
import type { ClaimedRun, RunKey } from '#libs/engine';
import type { RunEvent, RunSpec } from '#libs/events';
import { DEFAULT_TENANT, type JsonObject, type RunId } from '#libs/kernel';
import { compile } from '#libs/language';
import { anEvent } from '../../../test/support/a-held-run.js';
import { created } from '../../../test/support/a-log.js';
import { driverParts } from '../../../test/support/driver-parts.js';
import { InMemoryRunBell } from '../../../test/support/in-memory-run-bell.js';
import { InMemoryRuns, InMemoryRunStore } from '../../../test/support/in-memory-run-store.js';
import { until } from '../../../test/support/until.js';
import { createLogger } from '../../platform/src/index.js';
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

function heldRun(runs: InMemoryRuns, letter: string): RunKey {
  const run = { tenantId: DEFAULT_TENANT, runId: letter.padStart(26, '0') as RunId };
  const settings = { run: { goal: null, execution: { mode: 'normal' }, environment: { env: {} } } };
  const { graph } = compile(RESTING);
  const spec: RunSpec = { graph: graph as unknown as JsonObject, settings, workflow_source: RESTING };
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
