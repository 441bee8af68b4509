import { exitCodes, type ExitCode } from '../server/exit-code.js';
import type { Session } from '../session.js';

interface Batch {
  results: readonly { run_id: string; outcome: string; error?: { detail: string } }[];
  summary: { failed: number };
}

/** Says of each run of a batch what became of it; the code tells whether one was refused. */
export function showBatch({ screen, json }: Session, batch: Batch): ExitCode {
  if (json) screen.json(batch);
  else for (const result of batch.results) showResult(screen, result);
  return batch.summary.failed > 0 ? exitCodes.failed : exitCodes.done;
}

function showResult(screen: Session['screen'], { run_id, outcome, error }: Batch['results'][number]): void {
  if (error) screen.hint(error.detail);
  else screen.result(`${run_id}  ${outcome.replaceAll('_', ' ')}`);
}
