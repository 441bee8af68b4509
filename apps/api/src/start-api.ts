import { Module, type DynamicModule } from '@nestjs/common';
import { EventNotices } from '#libs/engine';
import { Clock } from '#libs/kernel';
import { StoredRuns } from '#libs/persistence';
import { nestLogger, type Logger, type Platform } from '#libs/server-runtime';
import { RunLines } from './edge/auth/run-lines.js';
import type { Role } from './edge/operations/roles.js';
import { TokenDirectory } from './edge/auth/token-directory.js';
import { ManifestChecks } from './resources/manifests/manifests.service.js';
import { compiledProgram, compileTasks, type ManifestCompiling } from './compile-program.js';
import { Compiling } from './resources/manifests/compiling/compiling.js';
import { Drawings } from './drawing/drawings.js';
import type { Program } from '#libs/isolation';
import { createHttpApp } from './http-app.js';
import { HttpModule } from './http-module.js';
import { DEFAULT_LIMITS, type HttpLimits } from './edge/http/limits.js';
import { listen, type ListenAddress } from './edge/http/listen.js';
import { RequestLog } from './edge/http/request-log.js';
import { RunHistory } from './resources/history/run-history.js';
import { RunHousekeeping } from './resources/runs/run-housekeeping.js';
import { RunControl, RunQueries, RunSubmission } from './resources/runs/run-use-cases.js';
import { RunLog } from './streams/run-log.js';
import { PgRunHistory } from './resources/history/pg-run-history.js';
import { RunForking } from './resources/history/run-forking.js';
import { PgRunControl } from './resources/runs/pg-run-control.js';
import { PgRunHousekeeping } from './resources/runs/pg-run-housekeeping.js';
import { PgRunLog } from './streams/pg-run-log.js';
import { RunQuestions } from './resources/questions/run-questions.js';
import { PgRunQuestions } from './resources/questions/pg-run-questions.js';
import { PgRunQueries } from './resources/runs/pg-run-queries.js';
import { PgRunSubmission } from './resources/runs/pg-run-submission.js';
import { RunDefinitions } from './resources/manifests/run-definitions.js';
import { PgTokenDirectory } from './edge/auth/pg-token-directory.js';
import { RunStreams } from './streams/run-streams.js';
import { MetricsText, ProcessReadiness, RequestMeter } from './resources/system/process-reports.js';
import { RunStorage } from './resources/system/run-storage.js';
import { SystemReport } from './resources/system/system-report.js';
import { PgRunStorage } from './resources/system/pg-run-storage.js';
import { PgSystemReport } from './resources/system/pg-system-report.js';
import type { ServerDefaults } from './resources/manifests/run-settings.js';

export interface ApiOptions {
  bindings: readonly ListenAddress[];
  defaults: ServerDefaults;
  webUrl: string | null;
  /** Where the server keeps what it does not give to others. */
  storageDirectory: string;
  /** What anybody may hold of it; what is left out is as {@link DEFAULT_LIMITS} has it. */
  limits?: Partial<HttpLimits>;
  /** What the processes of drawings execute; the compiled program when absent. */
  drawing?: Program;
  /** What the processes of heavy manifests execute; the compiled program when absent. */
  compiling?: Program;
  /** Of people who may create runs in `local` environments; admin when not given. */
  localLeastRole?: Role;
  /** Runs that the token of one run may create; 1,000 when not given. */
  maxChildrenPerRun?: number;
}

export interface RunningApi {
  /** Where it listens, in the order of the bindings: a socket path, or `host:port`. */
  readonly addresses: readonly string[];
  close(): Promise<void>;
}

/** Serves the API on a platform. Resolves when every binding listens. */
export async function startApi(platform: Platform, log: Logger, options: ApiOptions): Promise<RunningApi> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const drawings = new Drawings(options.drawing);
  const compiling = new Compiling(compileTasks, options.defaults, options.compiling ?? compiledProgram());
  const app = await createHttpApp(
    HttpModule.register({
      limits,
      imports: [UseCases.on(platform, log, options, { drawings, compiling })],
      ...(options.webUrl !== null && { webUrl: options.webUrl }),
    }),
    { logger: nestLogger(log) },
  );
  const streams = app.get(RunStreams, { strict: false });
  const openStreams = (): number => streams.open;
  const { streams: counted } = platform.observability.processMetrics;
  try {
    const addresses: string[] = [];
    for (const binding of options.bindings) addresses.push(String((await listen(app, binding, limits)).address));
    counted.add(openStreams);
    return {
      addresses,
      async close() {
        drawings.close();
        compiling.close();
        await app.close();
        counted.delete(openStreams);
      },
    };
  } catch (thrown) {
    await app.close();
    throw thrown;
  }
}

/** Binds what the controllers stand on to the database. */
@Module({})
class UseCases {
  static on(
    platform: Platform,
    log: Logger,
    options: ApiOptions,
    { drawings, compiling }: { drawings: Drawings; compiling: ManifestCompiling },
  ): DynamicModule {
    const { ledger, reader, tokens, notices, objects, clock, observability } = platform;
    const definitions = new RunDefinitions(compiling);
    const submission = new PgRunSubmission(
      ledger,
      reader,
      definitions,
      clock,
      options.localLeastRole,
      options.maxChildrenPerRun,
    );
    const forking = new RunForking(ledger, submission, platform.objects, clock);
    const control = new PgRunControl(ledger, reader, objects, clock);
    const { storage, report } = systemOn(platform, control, options);
    const providers = [
      { provide: Clock, useValue: clock },
      { provide: EventNotices, useValue: notices },
      { provide: RunSubmission, useValue: submission },
      { provide: RunControl, useValue: control },
      { provide: RunHousekeeping, useValue: new PgRunHousekeeping(ledger, reader, clock) },
      { provide: RunHistory, useValue: new PgRunHistory(ledger, reader, forking, clock) },
      { provide: RunQuestions, useValue: new PgRunQuestions(ledger, clock) },
      { provide: RunQueries, useValue: new PgRunQueries(ledger, reader, drawings, clock) },
      { provide: RunLog, useValue: new PgRunLog(ledger) },
      { provide: ManifestChecks, useValue: new ManifestChecks(compiling, drawings) },
      { provide: SystemReport, useValue: report },
      { provide: RunStorage, useValue: storage },
      { provide: ProcessReadiness, useValue: observability.readiness },
      { provide: MetricsText, useValue: observability.metrics },
      { provide: RequestMeter, useValue: requestMeter(observability.processMetrics) },
      { provide: TokenDirectory, useValue: new PgTokenDirectory(tokens) },
      { provide: RunLines, useValue: ledger },
      { provide: RequestLog, useValue: new RequestLog(log) },
    ];
    return { module: UseCases, providers, exports: providers.map(({ provide }) => provide) };
  }
}

function systemOn(
  { database, views, objects, observability, upkeep, clock }: Platform,
  control: RunControl,
  { webUrl, storageDirectory, defaults }: ApiOptions,
): { storage: RunStorage; report: SystemReport } {
  const runs = new StoredRuns(database);
  const storage = new PgRunStorage({ database, runs, views, objects, control, clock });
  const sandboxProvider = defaults.environments[defaults.environment]!.provider;
  const installation = { serverUrl: webUrl ?? '', storageDirectory, sandboxProvider };
  return { storage, report: new PgSystemReport({ runs, storage, observability, upkeep, clock }, installation) };
}

function requestMeter({ requests }: Platform['observability']['processMetrics']): RequestMeter {
  return { add: ({ seconds, ...labels }) => requests.observe(labels, seconds) };
}
