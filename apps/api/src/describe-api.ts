import { Module } from '@nestjs/common';
import { EventNotices } from '#libs/engine';
import { Clock } from '#libs/kernel';
import { RunLines } from './edge/auth/run-lines.js';
import { TokenDirectory } from './edge/auth/token-directory.js';
import { ManifestChecks } from './resources/manifests/manifests.service.js';
import { createHttpApp } from './http-app.js';
import { RequestLog } from './edge/http/request-log.js';
import { HttpModule } from './http-module.js';
import { RunHistory } from './resources/history/run-history.js';
import { RunQuestions } from './resources/questions/run-questions.js';
import { RunHousekeeping } from './resources/runs/run-housekeeping.js';
import { RunControl, RunQueries, RunSubmission } from './resources/runs/run-use-cases.js';
import { RunLog } from './streams/run-log.js';
import { MetricsText, ProcessReadiness, RequestMeter } from './resources/system/process-reports.js';
import { RunStorage } from './resources/system/run-storage.js';
import { SystemReport } from './resources/system/system-report.js';
import { buildOpenApi } from './edge/openapi/build-openapi.js';

const NOTHING = [
  RunSubmission,
  RunControl,
  RunQueries,
  RunQuestions,
  RunHistory,
  RunHousekeeping,
  RunLog,
  ManifestChecks,
  SystemReport,
  RunStorage,
  ProcessReadiness,
  MetricsText,
  RequestMeter,
  TokenDirectory,
  RunLines,
  EventNotices,
  RequestLog,
  Clock,
].map((token) => ({ provide: token, useValue: {} }));

/** Stands where the use cases would, and does nothing. */
@Module({ providers: NOTHING, exports: NOTHING })
class NothingModule {}

/** The OpenAPI document as it is committed. Needs no database and no network. */
export async function describeApi(): Promise<string> {
  const app = await createHttpApp(HttpModule.register({ imports: [NothingModule] }));
  try {
    return `${JSON.stringify(buildOpenApi(app), null, 2)}\n`;
  } finally {
    await app.close();
  }
}
