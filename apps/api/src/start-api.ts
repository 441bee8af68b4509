import { Module, type DynamicModule } from '@nestjs/common';
import { allHandlers, EventNotices, HandlerTable } from '#libs/engine';
import { SimulatedModel } from '#libs/llm';
import { Clock } from '#libs/kernel';
import { nestLogger, type Logger, type Platform } from '../../platform/src/index.js';
import { TokenDirectory } from './auth/token-directory.js';
import { ManifestChecks } from './checks/manifest-checks.js';
import { Drawings } from './drawing/drawings.js';
import { type LayoutProgram } from './drawing/layout.js';
import { FaultLog } from './errors/fault-log.js';
import { createHttpApp } from './http-app.js';
import { HttpModule } from './http-module.js';
import { listen, type Binding } from './http/listen.js';
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
import { PgTokenDirectory } from './use-cases/pg-token-directory.js';
import type { ServerDefaults } from './use-cases/run-settings.js';

export interface ApiOptions {
  bindings: readonly Binding[];
  defaults: ServerDefaults;
  webUrl: string | null;
  /** What the threads of drawings run; the compiled program when absent. */
  layout?: LayoutProgram;
}

export interface RunningApi {
  /** Where it listens, in the order of the bindings: a socket path, or `host:port`. */
  readonly addresses: readonly string[];
  close(): Promise<void>;
}

/** Serves the API on a platform. Resolves when every binding listens. */
export async function startApi(platform: Platform, log: Logger, options: ApiOptions): Promise<RunningApi> {
  const app = await createHttpApp(
    HttpModule.register({
      imports: [UseCases.on(platform, log, options)],
      ...(options.webUrl !== null && { webUrl: options.webUrl }),
    }),
    { logger: nestLogger(log) },
  );
  try {
    const addresses: string[] = [];
    for (const binding of options.bindings) addresses.push(String((await listen(app, binding)).address));
    return { addresses, close: () => app.close() };
  } catch (thrown) {
    await app.close();
    throw thrown;
  }
}

/** Binds what the controllers stand on to the database. */
@Module({})
class UseCases {
  static on(
    { ledger, reader, tokens, notices, objects, clock }: Platform,
    log: Logger,
    options: ApiOptions,
  ): DynamicModule {
    const { defaults, layout } = options;
    const drawings = new Drawings(layout);
    const handlers = new HandlerTable(allHandlers(new SimulatedModel()));
    const submission = new PgRunSubmission(ledger, reader, handlers, clock, defaults);
    const forking = new RunForking(ledger, submission, clock);
    const providers = [
      { provide: Clock, useValue: clock },
      { provide: EventNotices, useValue: notices },
      { provide: RunSubmission, useValue: submission },
      { provide: RunControl, useValue: new PgRunControl(ledger, reader, objects, clock) },
      { provide: RunHousekeeping, useValue: new PgRunHousekeeping(ledger, reader, clock) },
      { provide: RunHistory, useValue: new PgRunHistory(ledger, reader, forking, clock) },
      { provide: RunQuestions, useValue: new PgRunQuestions(ledger, clock) },
      { provide: RunQueries, useValue: new PgRunQueries(ledger, reader, drawings, clock) },
      { provide: RunLog, useValue: new PgRunLog(ledger) },
      { provide: ManifestChecks, useValue: new ManifestChecks(handlers, defaults, drawings) },
      { provide: TokenDirectory, useValue: new PgTokenDirectory(tokens) },
      { provide: FaultLog, useValue: faultLog(log) },
    ];
    return { module: UseCases, providers, exports: providers.map(({ provide }) => provide) };
  }
}

function faultLog(log: Logger): FaultLog {
  return { report: (error, request) => log.error({ err: error, ...request }, 'A request failed on our side.') };
}
