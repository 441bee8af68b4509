import { exitCodeOfRefusal, exitCodes, type ExitCode } from '../server/exit-code.js';
import type { Session } from '../session.js';
import { counted, plainText } from '../terminal/format.js';

interface Result {
  run_id: string;
  outcome: string;
  error?: { status: string; detail: string };
}

interface Batch {
  results: readonly Result[];
  summary: { failed: number };
}

/** Runs of which each has its line; of more only their number is shown, and why any was refused. */
const LISTED = 20;

/** Says what became of the runs of a batch; the code tells whether one was refused. */
export function showBatch({ screen, json }: Session, batch: Batch): ExitCode {
  const { results, summary } = batch;
  const done = results.filter(({ error }) => !error);
  if (json) screen.json(batch);
  else {
    for (const { error } of results) if (error) screen.hint(plainText(error.detail));
    if (results.length === 0) screen.hint('No runs.');
    else if (results.length > LISTED) for (const line of sums(done)) screen.result(line);
    else for (const { run_id, outcome } of done) screen.result(`${run_id}  ${wordsOf(outcome)}`);
  }
  if (summary.failed === 0) return exitCodes.done;
  return exitCodeOfRefusal(Math.min(...results.map(({ error }) => Number(error?.status ?? Infinity))));
}

function sums(results: readonly Result[]): string[] {
  const counts = new Map<string, number>();
  for (const { outcome } of results) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${counted(count, 'run')} ${wordsOf(outcome)}`);
}

function wordsOf(outcome: string): string {
  return outcome.replaceAll('_', ' ');
}
