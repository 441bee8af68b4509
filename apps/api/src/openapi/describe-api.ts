import { Module } from '@nestjs/common';
import { EventNotices } from '#libs/engine';
import { Clock } from '#libs/kernel';
import { RunLines } from '../auth/run-lines.js';
import { TokenDirectory } from '../auth/token-directory.js';
import { ManifestChecks } from '../checks/manifest-checks.js';
import { createHttpApp } from '../http-app.js';
import { RequestLog } from '../http/request-log.js';
import { HttpModule } from '../http-module.js';
import { RunHistory } from '../history/run-history.js';
import { RunQuestions } from '../questions/run-questions.js';
import { RunHousekeeping } from '../runs/run-housekeeping.js';
import { RunControl, RunLog, RunQueries, RunSubmission } from '../runs/run-use-cases.js';
import { MetricsText, ProcessReadiness, RequestMeter } from '../system/process-reports.js';
import { RunStorage } from '../system/run-storage.js';
import { SystemReport } from '../system/system-report.js';
import { buildOpenApi } from './build-openapi.js';

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
