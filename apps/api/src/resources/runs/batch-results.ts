import { type RunId } from '#libs/kernel';
import { answerToFault, entriesOf } from '../../edge/envelope/answer.js';
import { type ErrorResponseEntry } from '../../edge/envelope/error-response.js';
import {
  type BatchDeleteRunsResult,
  type BatchRunLifecycleResult,
  type BatchRunLifecycleSummary,
} from './dto/run-batches.js';
import { type ArchiveResult } from './run-housekeeping.js';
import { type Removal } from './run-use-cases.js';

/** What is said of each run of a batch, as it would be said of that run alone. */
export function lifecycleResult(runId: RunId, result: ArchiveResult): BatchRunLifecycleResult {
  if ('run' in result) return { run_id: runId, ok: true, outcome: result.outcome, run: result.run };
  const { kind } = result.error;
  const outcome = kind === 'missing' ? 'not_found' : kind === 'conflict' ? 'conflict' : 'error';
  return { run_id: runId, ok: false, outcome, error: entryOf(result.error) };
}

export function deletionResult(runId: RunId, removal: Removal): BatchDeleteRunsResult {
  if (!(removal instanceof Error)) return { run_id: runId, ok: true, outcome: removal };
  const error = entryOf(removal);
  return { run_id: runId, ok: false, outcome: error.status === '409' ? 'conflict' : 'error', error };
}

export function summaryOf(results: readonly { ok: boolean }[]): BatchRunLifecycleSummary {
  const succeeded = results.filter(({ ok }) => ok).length;
  return { requested: results.length, succeeded, failed: results.length - succeeded };
}

function entryOf(error: Error): ErrorResponseEntry {
  return entriesOf(answerToFault(error))[0]!;
}
