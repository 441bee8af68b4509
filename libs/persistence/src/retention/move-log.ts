import { createHash } from 'node:crypto';
import type { ObjectStore } from '#libs/engine';
import type { Database, Statement } from '../database.js';
import { LogUnreadableError } from '../errors.js';
import type { ColdEvent } from './cold-events.js';
import type { ColdLogs } from './cold-logs.js';
import { logFolder, logKey } from './cold-mark.js';
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

/**
 * Moves the log of a run that is over into the object store. The object is read back and compared before the database
 * lets go of the rows, which happens together with the mark that says where they are: whenever this ends in the middle,
 * the rows are still there, and moving them again writes the same object. Two that move the same log do no harm.
 */
export async function moveLog(database: Database, objects: ObjectStore, cold: ColdLogs, run: OldRun): Promise<Move> {
  const { tenantId, runId, toSeq } = run;
  const packed = await packLog(eventsOf(database, cold, run), toSeq);
  await objects.put(logKey(run, toSeq), packed.body);
  if ((await storedDigest(cold, run, packed)) !== packed.sha256) throw new LogUnreadableError(runId);
  const [row] = await database.queryAgain<{ result: Move }>(moveStatement, [
    tenantId,
    runId,
    toSeq,
    packed.sha256,
    packed.body.length,
    JSON.stringify(packed.parts),
  ]);
  const { result } = row!;
  // Whoever removes a run removes its objects; this one may have come after that.
  if (result === 'gone') await objects.deleteAll(logFolder(run));
  return result;
}

async function* eventsOf(database: Database, cold: ColdLogs, run: OldRun): AsyncGenerator<ColdEvent> {
  const { tenantId, runId, toSeq, mark } = run;
  if (mark) for await (const events of cold.stretches(run, mark, 1, mark.toSeq + 1)) yield* events;
  for (let from = (mark?.toSeq ?? 0) + 1; from <= toSeq;) {
    const rows = await database.queryAgain<ColdEvent>(readEvents, [tenantId, runId, from, toSeq, PAGE]);
    if (rows.length === 0) return;
    yield* rows;
    from = rows[rows.length - 1]!.seq + 1;
  }
}

async function storedDigest(cold: ColdLogs, run: OldRun, { parts }: PackedLog): Promise<string> {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(await cold.lines(run, run.toSeq, part));
  return digest.digest('hex');
}
