import { createHash } from 'node:crypto';
import type { ObjectStore } from '#libs/engine';
import type { Database, Statement } from '../database.js';
import { LogUnreadableError } from '../errors.js';
import type { ColdEvent } from '../log/cold-events.js';
import type { ColdLogs } from '../log/cold-logs.js';
import { logFolder, logKey, objectOf, readMark, type LogPart } from '../log/cold-mark.js';
import type { OldRun } from './old-runs.js';
import { packLog, type PackedLog } from './pack-log.js';

const readEvents: Statement = {
  name: 'read-events-to-move',
  text: `
SELECT seq, epoch, to_char(stored_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "storedAt", body
  FROM run_events WHERE tenant_id = $1 AND run_id = $2 AND seq >= $3 AND seq <= $4 ORDER BY seq LIMIT $5`,
};

const moveStatement: Statement = {
  name: 'move-log',
  text: 'SELECT move_log($1, $2, $3, $4, $5, $6::json) AS result',
};

const PAGE = 1_000;

/** `changed`: somebody appended to the run meanwhile, so it is not old. `gone`: it was removed meanwhile, or nearly. */
export type Move = 'moved' | 'changed' | 'gone';

/** Events that lie in one object and leave the database in one statement, whatever the log is like. */
const STRETCH = 100_000;

/**
 * Moves the log of a run that is over into the object store. An object is read back and compared before the database
 * lets go of its rows, which happens together with the mark that says where they are: whenever this ends in the middle,
 * the rows are still there, and moving them again writes the same object. Two that move the same log do no harm. A
 * long log moves in stretches, each an object and whole or not at all; what has moved is not written again.
 */
export async function moveLog(
  database: Database,
  objects: ObjectStore,
  cold: ColdLogs,
  run: OldRun,
  stretch = STRETCH,
): Promise<Move> {
  if (run.toSeq <= stretch) return moveStretch(database, objects, cold, run, { fromSeq: 1, upTo: run.toSeq, kept: [] });
  let { mark } = run;
  for (;;) {
    const fromSeq = (mark?.toSeq ?? 0) + 1;
    const upTo = Math.min(run.toSeq, fromSeq + stretch - 1);
    const kept = mark ? mark.parts.map((part) => ({ ...part, upTo: objectOf(mark!, part) })) : [];
    const result = await moveStretch(database, objects, cold, run, { fromSeq, upTo, kept });
    if (result !== 'moved' || upTo === run.toSeq) return result;
    mark = await readMark(database, run);
    if (mark?.toSeq !== upTo) return 'changed';
  }
}

interface Stretch {
  fromSeq: number;
  upTo: number;
  /** Where the events before it lie. */
  kept: readonly LogPart[];
}

async function moveStretch(
  database: Database,
  objects: ObjectStore,
  cold: ColdLogs,
  run: OldRun,
  { fromSeq, upTo, kept }: Stretch,
): Promise<Move> {
  const packed = await packLog(eventsOf(database, cold, run, fromSeq, upTo), upTo, fromSeq);
  await objects.put(logKey(run, upTo), packed.body);
  if ((await storedDigest(cold, run, upTo, packed)) !== packed.sha256) throw new LogUnreadableError(run.runId);
  const parts = kept.length === 0 ? packed.parts : [...kept, ...packed.parts.map((part) => ({ ...part, upTo }))];
  const [row] = await database.queryAgain<{ result: Move }>(moveStatement, [
    run.tenantId,
    run.runId,
    upTo,
    packed.sha256,
    packed.body.length,
    JSON.stringify(parts),
  ]);
  const { result } = row!;
  // Whoever removes a run removes its objects; this one may have come after that.
  if (result === 'gone') await objects.deleteAll(logFolder(run));
  return result;
}

async function* eventsOf(
  database: Database,
  cold: ColdLogs,
  run: OldRun,
  fromSeq: number,
  upTo: number,
): AsyncGenerator<ColdEvent> {
  const { tenantId, runId, mark } = run;
  if (mark) for await (const events of cold.stretches(run, mark, fromSeq, mark.toSeq + 1)) yield* events;
  for (let from = Math.max(fromSeq, (mark?.toSeq ?? 0) + 1); from <= upTo;) {
    const rows = await database.queryAgain<ColdEvent>(readEvents, [tenantId, runId, from, upTo, PAGE]);
    if (rows.length === 0) return;
    yield* rows;
    from = rows[rows.length - 1]!.seq + 1;
  }
}

async function storedDigest(cold: ColdLogs, run: OldRun, upTo: number, { parts }: PackedLog): Promise<string> {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(await cold.lines(run, upTo, part));
  return digest.digest('hex');
}
