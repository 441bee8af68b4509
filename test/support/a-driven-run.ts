import { HandlerTable, type AttemptResult, type RunKey, type StageTask } from '#libs/engine';
import type { RunEvent, RunSpec } from '#libs/events';
import { DEFAULT_TENANT, monotonicMs, type JsonObject, type RunId } from '#libs/kernel';
import { compile } from '#libs/language';
import type { DriverParts } from '../../apps/worker/src/drive/driver-parts.js';
import { RunDriver } from '../../apps/worker/src/drive/run-driver.js';
import { createLogger } from '#libs/server-runtime';
import { anEvent } from './a-held-run.js';
import { created } from './a-log.js';
import { driverParts } from './driver-parts.js';
import { InMemoryRuns, InMemoryRunStore } from './in-memory-run-store.js';
import { InMemorySandboxProvider } from './in-memory-sandbox.js';

/** What every command does, in a sandbox in which nothing else happens. */
export function commandsDo(execute: (task: Omit<StageTask, 'node'>) => Promise<AttemptResult>): Partial<DriverParts> {
  return {
    handlers: new HandlerTable([{ kind: 'command', execute }]),
    sandboxes: new Map([['local', new InMemorySandboxProvider(() => ({}))]]),
  };
}

/** A run in memory that is driven by one driver after the other. */
export class ADrivenRun {
  readonly key: RunKey = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
  readonly parts: DriverParts;

  constructor(
    source: string,
    readonly runs: InMemoryRuns,
    readonly store: InMemoryRunStore,
    more: Partial<DriverParts> = {},
  ) {
    const { graph, diagnostics } = compile(source);
    if (!graph) throw new Error(diagnostics.map(({ message }) => message).join(' '));
    const run = { goal: null, execution: { mode: 'normal' }, environment: { env: {} } };
    const spec: RunSpec = { graph: graph as unknown as JsonObject, settings: { run }, workflow_source: source };
    const submitted: RunEvent = { event: 'run.submitted', properties: { definition_blob: 'a'.repeat(64) } };
    runs.submit(this.key, spec, 'a'.repeat(64), [created(), submitted].map(anEvent));
    runs.start(this.key);
    this.parts = { ...driverParts(store), ...more };
  }

  static of(source: string, more: Partial<DriverParts> = {}): ADrivenRun {
    const runs = new InMemoryRuns();
    return new ADrivenRun(source, runs, new InMemoryRunStore(runs), more);
  }

  /** The driver of the next epoch. */
  async claimed(): Promise<RunDriver> {
    const [claim] = await this.store.claim(this.parts.workerId, 1);
    if (!claim) throw new Error('The run cannot be claimed.');
    return new RunDriver(
      claim,
      this.parts,
      createLogger(process.env.RUNYARD_TEST_LOG ?? 'silent', 'test'),
      monotonicMs(),
    );
  }

  get log(): string[] {
    return this.runs.log(this.key).map(({ event }) => event);
  }
}
