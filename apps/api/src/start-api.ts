import { Module, type DynamicModule } from '@nestjs/common';
import { allHandlers, EventNotices, HandlerTable } from '#libs/engine';
import { SimulatedModel } from '#libs/llm';
import { Clock } from '#libs/kernel';
import { StoredRuns } from '#libs/persistence';
import { nestLogger, type Logger, type Platform } from '../../platform/src/index.js';
import { RunLines } from './auth/run-lines.js';
import type { Role } from './auth/roles.js';
import { TokenDirectory } from './auth/token-directory.js';
import { ManifestChecks } from './checks/manifest-checks.js';
import { Drawings } from './drawing/drawings.js';
import type { Program } from '#libs/isolation';
import { createHttpApp } from './http-app.js';
import { HttpModule } from './http-module.js';
import { DEFAULT_LIMITS, type HttpLimits } from './http/limits.js';
import { listen, type Binding } from './http/listen.js';
import { RequestLog } from './http/request-log.js';
import { RunHistory } from './history/run-history.js';
import { RunHousekeeping } from './runs/run-housekeeping.js';
import { RunControl, RunLog, RunQueries, RunSubmission } from './runs/run-use-cases.js';
import { PgRunHistory } from './use-cases/pg-run-history.js';
import { RunForking } from './use-cases/run-forking.js';
import { PgRunControl } from './use-cases/pg-run-control.js';
import { PgRunHousekeeping } from './use-cases/pg-run-housekeeping.js';
import { PgRunLog } from './use-cases/pg-run-log.js';
import { RunQuestions } from './questions/run-questions.js';
import { PgRunQuestions } from './use-cases/pg-run-questions.js';
import { PgRunQueries } from './use-cases/pg-run-queries.js';
import { PgRunSubmission } from './use-cases/pg-run-submission.js';
import { CompileTurns } from './use-cases/compile-turns.js';
import { RunDefinitions } from './use-cases/run-definitions.js';
import { PgTokenDirectory } from './use-cases/pg-token-directory.js';
import { RunStreams } from './streams/run-streams.js';
import { MetricsText, ProcessReadiness, RequestMeter } from './system/process-reports.js';
import { RunStorage } from './system/run-storage.js';
import { SystemReport } from './system/system-report.js';
import { PgRunStorage } from './use-cases/pg-run-storage.js';
import { PgSystemReport } from './use-cases/pg-system-report.js';
import type { ServerDefaults } from './use-cases/run-settings.js';

export interface ApiOptions {
  bindings: readonly Binding[];
  defaults: ServerDefaults;
  webUrl: string | null;
  /** Where the server keeps what it does not give to others. */
  storageDirectory: string;
  /** What anybody may hold of it; what is left out is as {@link DEFAULT_LIMITS} has it. */
  limits?: Partial<HttpLimits>;
  /** What the processes of drawings execute; the compiled program when absent. */
  drawing?: Program;
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
  const app = await createHttpApp(
    HttpModule.register({
      limits,
      imports: [UseCases.on(platform, log, options, drawings)],
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
  static on(platform: Platform, log: Logger, options: ApiOptions, drawings: Drawings): DynamicModule {
    const { ledger, reader, tokens, notices, objects, clock, observability } = platform;
    const { defaults } = options;
    const handlers = new HandlerTable(allHandlers(new SimulatedModel()));
    const turns = new CompileTurns();
    const submission = new PgRunSubmission(
      ledger,
      reader,
      new RunDefinitions(handlers, defaults),
      turns,
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
      { provide: ManifestChecks, useValue: new ManifestChecks(handlers, defaults, drawings, turns) },
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
