import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { allHandlers, HandlerTable, type ModelClient, type RunKey, type SandboxProvider } from '#libs/engine';
import type { HooksReach } from '#libs/config';
import { UndiciHttpCaller } from '#libs/http-caller';
import { openWhole, type CloseStack } from '#libs/kernel';
import { SimulatedModel } from '#libs/llm';
import { Database, findEnded, hasOneTenant, PgRunStore, WorkerPresence } from '#libs/persistence';
import { findLocalUser, hostEnvironment, LocalSandboxProvider } from '#libs/sandbox';
import { Upkeep } from '#libs/scheduling';
import { issueWorkerToken, type Logger, type Platform } from '#libs/server-runtime';
import { Failpoints } from './failpoints.js';
import { LeftSandboxes } from './workspace/left-sandboxes.js';
import { makeSandboxDirectory } from './workspace/sandbox-directory.js';
import { Worker } from './claim/worker.js';

/** Two renewals that stay without an answer fit into the time in which leases are trusted. */
const RENEWAL_SILENCE_MS = 2_500;
const LOOK_FOR_LEFT_SANDBOXES_MS = 10_000;

export interface RunningWorker {
  readonly worker: Worker;
  /** Hands its runs over, ends its leases and leaves. Rejects like {@link Worker.stop}; it has left then, too. */
  stop(graceMs: number): Promise<void>;
}

export interface WorkerSetup {
  slots: number;
  sandboxDirectory: string;
  /** Where the commands of runs reach the API; null when that is not known. */
  apiAddress: string | null;
  /** Where the hooks of runs may post to; `public` when not given. */
  hooksReach?: HooksReach;
  /** For the files that commands of runs make; this process's own when not given. */
  commandUmask?: number;
  /** The user of this host as whom commands of `local` runs work; this process's own when not given. */
  localUser?: string | null;
  failpoints?: Failpoints;
  /** Opens sandboxes; the local provider when not given. */
  sandboxes?: readonly SandboxProvider[];
  /** Answers prompts; the simulated model when not given. */
  models?: ModelClient;
}

/**
 * Starts a worker on a platform: announces itself, claims what waits, and drives runs until it is stopped. The sandbox
 * providers are its own from then on. When it cannot be started, nothing of it is left open.
 */
export function startWorker(platform: Platform, log: Logger, setup: WorkerSetup): Promise<RunningWorker> {
  return openWhole((opened) => startParts(platform, log, setup, opened));
}

async function startParts(
  platform: Platform,
  log: Logger,
  setup: WorkerSetup,
  opened: CloseStack,
): Promise<RunningWorker> {
  const sandboxes = setup.sandboxes ?? [
    new LocalSandboxProvider({
      stateDirectory: setup.sandboxDirectory,
      inheritedEnv: hostEnvironment(process.env),
      commandUmask: setup.commandUmask,
      user: setup.localUser ? await findLocalUser(setup.localUser) : undefined,
    }),
  ];
  for (const provider of sandboxes) opened.add(provider, (it) => it.close());
  await makeSandboxDirectory(setup.sandboxDirectory);
  const workerId = `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const { databaseUrl, database, delivery, clock, objects, bell, notices, observability } = platform;
  const renewalsName = `runyard renewals ${randomUUID()}`;
  const renewals = opened.add(
    new Database({
      connectionString: databaseUrl,
      maxConnections: 2,
      minConnections: 1,
      applicationName: renewalsName,
      silenceMs: RENEWAL_SILENCE_MS,
    }),
    (it) => it.close(),
  );
  const presence = opened.add(new WorkerPresence(databaseUrl, workerId, { renewalsName }), (it) => it.close());
  // As long as one of these connections is there nobody takes the worker for dead, whether it drives a run or none.
  await renewals.ping();
  await presence.announce();

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
    http: new UndiciHttpCaller(async () => setup.hooksReach === 'anywhere' && (await hasOneTenant(database))),
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
  let patienceMs = 0;
  opened.add(worker, async () => {
    left.stop();
    await Promise.all([worker.stop(patienceMs), upkeep.stop()]);
  });
  await worker.start();
  upkeep.start();
  delivery.attach(worker);
  const { workers } = observability.processMetrics;
  opened.add(workers.add(worker), (it) => it.delete(worker));
  ownLog.info({ slots: setup.slots }, 'The worker is ready.');
  return {
    worker,
    stop(graceMs) {
      patienceMs = graceMs;
      return opened.close();
    },
  };
}
