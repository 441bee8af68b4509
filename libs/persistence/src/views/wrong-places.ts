import type { RunKey } from '#libs/engine';
import { decodeEvent } from '#libs/events';
import type { Queryable } from '../database.js';
import type { LogReader } from '../log/log-reader.js';
import { differences } from './differences.js';
import { foldedViews, readStoredViews } from './stored-views.js';
import { ViewFold } from './view-fold.js';

/** Events held at once. */
const PAGE = 500;

/**
 * Where the read models of a run say otherwise than its log: the log is folded anew, up to where they claim to be folded, and
 * compared. What was appended before that never changes, so nothing is locked and a run may go on meanwhile. Rejects when
 * the log has a hole, cannot be folded, or is gone by now.
 */
export async function wrongPlaces(db: Queryable, log: LogReader, run: RunKey, signal?: AbortSignal): Promise<string[]> {
  const stored = await readStoredViews(db, run);
  if (!stored) return [];
  if (stored.view === null) return ['run_views'];
  if (stored.seq > stored.lastSeq) return ['run_views.seq'];
  const fold = new ViewFold({ seq: 0, view: '{}' });
  while (fold.seq < stored.seq) {
    signal?.throwIfAborted();
    await addPage(fold, log, run, stored.seq);
  }
  const folded = foldedViews(fold);
  return [
    ...differences('run_views.view', JSON.parse(stored.view), folded.view),
    ...differences('run_views', JSON.parse(stored.columns), folded.columns),
    ...differences('stage_views', JSON.parse(stored.stages), folded.stages),
  ].map(({ place }) => place);
}

async function addPage(fold: ViewFold, log: LogReader, run: RunKey, toSeq: number): Promise<void> {
  const rows = await log.rows(run, fold.seq + 1, toSeq + 1, PAGE);
  if (rows.length === 0) throw new Error(`The log of run ${run.runId} ends after event ${fold.seq}.`);
  for (const { seq, body } of rows) {
    if (seq !== fold.seq + 1) throw new Error(`Event ${seq} of run ${run.runId} follows ${fold.seq}.`);
    fold.apply(decodeEvent(seq, body));
  }
}
