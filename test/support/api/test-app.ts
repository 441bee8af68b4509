import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { EventNotices } from '#libs/engine';
import { Clock, FixedClock } from '#libs/kernel';
import { RunLines } from '../../../apps/api/src/edge/auth/run-lines.js';
import { TokenDirectory } from '../../../apps/api/src/edge/auth/token-directory.js';
import { ManifestChecks } from '../../../apps/api/src/resources/manifests/manifests.service.js';
import { compileTasks } from '../../../apps/api/src/compile-program.js';
import { Compiling } from '../../../apps/api/src/resources/manifests/compiling/compiling.js';
import { Drawings } from '../../../apps/api/src/drawing/drawings.js';
import { createHttpApp } from '../../../apps/api/src/http-app.js';
import { RequestLog } from '../../../apps/api/src/edge/http/request-log.js';
import { HttpModule } from '../../../apps/api/src/http-module.js';
import { RunHistory } from '../../../apps/api/src/resources/history/run-history.js';
import { RunQuestions } from '../../../apps/api/src/resources/questions/run-questions.js';
import { RunHousekeeping } from '../../../apps/api/src/resources/runs/run-housekeeping.js';
import { MetricsText, ProcessReadiness, RequestMeter } from '../../../apps/api/src/resources/system/process-reports.js';
import { RunStorage } from '../../../apps/api/src/resources/system/run-storage.js';
import { SystemReport } from '../../../apps/api/src/resources/system/system-report.js';
import { RunControl, RunQueries, RunSubmission } from '../../../apps/api/src/resources/runs/run-use-cases.js';
import { RunLog } from '../../../apps/api/src/streams/run-log.js';
import { createLogger } from '#libs/server-runtime';
import { compilingFromSource, drawingFromSource } from '../program-from-source.js';
import {
  FakeControl,
  FakeHousekeeping,
  FakeLines,
  FakeMeter,
  FakeQueries,
  FakeReadiness,
  FakeRunStorage,
  FakeSubmission,
  FakeTokens,
} from './fake-use-cases.js';
import { MemoryLog, MemoryNotices } from './memory-log.js';
import { aCaller, TOKEN } from './samples.js';

const environments = { default: { provider: 'local' as const, env: {}, labels: {} } };
const defaults = {
  model: null,
  environment: 'default',
  environments,
  providers: ['local' as const],
  hooksReach: 'anywhere' as const,
};

/** The whole HTTP edge over fakes; what asks nobody else is real. */
export class TestApp {
  readonly submission = new FakeSubmission();
  readonly control = new FakeControl();
  readonly queries = new FakeQueries();
  readonly housekeeping = new FakeHousekeeping();
  readonly log = new MemoryLog();
  readonly compiling = new Compiling(compileTasks, defaults, compilingFromSource());
  readonly checks = new ManifestChecks(this.compiling, new Drawings(drawingFromSource()));
  readonly notices = new MemoryNotices();
  readonly storage = new FakeRunStorage();
  readonly readiness = new FakeReadiness();
  readonly meter = new FakeMeter();
  readonly tokens = new FakeTokens();
  readonly ancestry = new FakeLines();
  /** What was written to the log, line by line. */
  readonly lines: Record<string, unknown>[] = [];
  readonly clock = new FixedClock(0);
  app!: NestFastifyApplication;

  static async open(): Promise<TestApp> {
    const test = new TestApp();
    test.tokens.allow(TOKEN, aCaller());
    const write = (line: string): void => void test.lines.push(JSON.parse(line) as Record<string, unknown>);
    const providers = [
      { provide: RunSubmission, useValue: test.submission },
      { provide: RunControl, useValue: test.control },
      { provide: RunQueries, useValue: test.queries },
      { provide: RunHousekeeping, useValue: test.housekeeping },
      { provide: RunQuestions, useValue: {} },
      { provide: RunHistory, useValue: {} },
      { provide: RunLog, useValue: test.log },
      { provide: ManifestChecks, useValue: test.checks },
      { provide: SystemReport, useValue: {} },
      { provide: RunStorage, useValue: test.storage },
      { provide: ProcessReadiness, useValue: test.readiness },
      { provide: MetricsText, useValue: { text: async () => 'runyard_up 1\n' } },
      { provide: RequestMeter, useValue: test.meter },
      { provide: EventNotices, useValue: test.notices },
      { provide: TokenDirectory, useValue: test.tokens },
      { provide: RunLines, useValue: test.ancestry },
      { provide: RequestLog, useValue: new RequestLog(createLogger('debug', 'test', { write })) },
      { provide: Clock, useValue: test.clock },
    ];
    class Fakes {}
    test.app = await createHttpApp(
      HttpModule.register({ imports: [{ module: Fakes, providers, exports: providers }] }),
    );
    return test;
  }

  /** One request with a valid token; a header of null is left out. */
  async send(
    method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'HEAD' | 'PATCH',
    url: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string | null> } = {},
  ) {
    const all = { authorization: `Bearer ${TOKEN}`, ...headers };
    const sent = Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
    );
    const response = await this.app.inject({
      method,
      url,
      headers: sent,
      ...(body === undefined ? {} : { payload: body as string | object }),
    });
    return { status: response.statusCode, headers: response.headers, text: response.body };
  }

  close(): Promise<void> {
    this.compiling.close();
    return this.app.close();
  }
}

/** The sentences of an error envelope. */
export function detailsOf({ text }: { text: string }): string[] {
  return (JSON.parse(text) as { errors: { detail: string }[] }).errors.map(({ detail }) => detail);
}
