import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { allHandlers, HandlerTable, type ModelClient, type RunKey, type SandboxProvider } from '#libs/engine';
import { UndiciHttpCaller } from '#libs/http-caller';
import { SimulatedModel } from '#libs/llm';
import { Database, findEnded, PgRunStore, WorkerPresence } from '#libs/persistence';
import { hostEnvironment, LocalSandboxProvider } from '#libs/sandbox';
import { Upkeep } from '#libs/scheduling';
import { issueWorkerToken, type Logger, type Platform } from '../../platform/src/index.js';
import { Failpoints } from './failpoints.js';
import { LeftSandboxes } from './left-sandboxes.js';
import { makeSandboxDirectory } from './sandbox-directory.js';
import { Worker } from './worker.js';

/** Two renewals that stay without an answer fit into the time in which leases are trusted. */
const RENEWAL_SILENCE_MS = 2_500;
const LOOK_FOR_LEFT_SANDBOXES_MS = 10_000;

export interface RunningWorker {
  readonly worker: Worker;
  /** Hands its runs over, ends its leases and leaves. */
  stop(graceMs: number): Promise<void>;
}

export interface WorkerSetup {
  slots: number;
  sandboxDirectory: string;
  /** Where the commands of runs reach the API; null when that is not known. */
  apiAddress: string | null;
  failpoints?: Failpoints;
  /** Opens sandboxes; the local provider when not given. */
  sandboxes?: readonly SandboxProvider[];
  /** Answers prompts; the simulated model when not given. */
  models?: ModelClient;
}

/** Starts a worker on a platform: announces itself, claims what waits, and drives runs until it is stopped. */
export async function startWorker(platform: Platform, log: Logger, setup: WorkerSetup): Promise<RunningWorker> {
  await makeSandboxDirectory(setup.sandboxDirectory);
  const workerId = `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const { databaseUrl, database, delivery, clock, objects, bell, notices, observability } = platform;
  const renewalsName = `runyard renewals ${randomUUID()}`;
  const renewals = new Database({
    connectionString: databaseUrl,
    maxConnections: 2,
    applicationName: renewalsName,
    silenceMs: RENEWAL_SILENCE_MS,
  });
  const presence = new WorkerPresence(databaseUrl, workerId, { renewalsName });
  await presence.announce();

  const sandboxes = setup.sandboxes ?? [
    new LocalSandboxProvider({ stateDirectory: setup.sandboxDirectory, inheritedEnv: hostEnvironment(process.env) }),
  ];
  const models = setup.models ?? new SimulatedModel();
  const issueToken = (run: RunKey): Promise<string> => issueWorkerToken(platform.tokens, run);
  const ownLog = log.child({ worker: workerId });
  const parts = {
    store: new PgRunStore(database, renewals, workerId, delivery, clock, {
      flushed: observability.processMetrics.flushed,
      tailLost: ({ lease: { runId: run, tenantId: tenant, epoch }, knownSeq, logSeq }) =>
        ownLog.error({ run, tenant, epoch, knownSeq, logSeq }, 'The database lost the end of a log that was stored.'),
    }),
    objects,
    handlers: new HandlerTable(allHandlers(models)),
    models,
    notices,
    http: new UndiciHttpCaller(),
    sandboxes: new Map(sandboxes.map((provider) => [provider.kind as string, provider])),
    clock,
    failpoints: setup.failpoints ?? new Failpoints(),
    api: setup.apiAddress === null ? null : { address: setup.apiAddress, issueToken },
    workerId,
  };
  const worker = new Worker(parts, bell, ownLog, { slots: setup.slots });
  const left = new LeftSandboxes(sandboxes, (runs) => findEnded(database, runs), ownLog);
  const chore = { name: 'remove left sandboxes', everyMs: LOOK_FOR_LEFT_SANDBOXES_MS, run: () => left.round() };
  const upkeep = new Upkeep([chore], ownLog);
  await worker.start();
  upkeep.start();
  delivery.attach(worker);
  observability.processMetrics.workers.add(worker);
  ownLog.info({ slots: setup.slots }, 'The worker is ready.');
  return {
    worker,
    async stop(graceMs) {
      left.stop();
      await Promise.all([worker.stop(graceMs), upkeep.stop()]);
      observability.processMetrics.workers.delete(worker);
      await presence.close();
      await Promise.all(sandboxes.map((provider) => provider.close()));
      await renewals.close();
    },
  };
}
