import type { RunKey } from '#libs/engine';
import type { Database, Queryable, Statement } from '../database.js';
import { lockRunHeads } from '../store/locked-heads.js';
import type { ColdEvent } from './cold-events.js';
import type { ColdLogs } from './cold-logs.js';
import type { ColdMark, LogPart } from './cold-mark.js';

const readMark: Statement = {
  name: 'read-cold-mark',
  text: 'SELECT to_seq AS "toSeq", sha256, parts FROM cold_logs WHERE tenant_id = $1 AND run_id = $2',
};

const insertEvents: Statement = {
  name: 'insert-returned-events',
  text: `
INSERT INTO run_events (tenant_id, run_id, seq, epoch, stored_at, id, event, ts, body)
SELECT $1, $2, e.seq, e.epoch, e.stored_at, (e.body->>'id')::uuid, e.body->>'event', (e.body->>'ts')::timestamptz, e.body
  FROM unnest($3::bigint[], $4::bigint[], $5::timestamptz[], $6::json[]) AS e(seq, epoch, stored_at, body)`,
};

const returnStatement: Statement = { name: 'return-log', text: 'SELECT return_log($1, $2)' };

const PAGE = 1_000;

/**
 * Brings the log of a run back into the database, because the run is about to go on: all of it or nothing, with the mark
 * that said where it was. The object stays until the run is removed. Harmless when the log is back already.
 */
export async function returnLog(database: Database, cold: ColdLogs, run: RunKey): Promise<void> {
  const mark = await markOf(database, run);
  if (!mark) return;
  const events = await cold.read(run, mark, 1, mark.toSeq + 1);
  await database.transaction(async (tx) => {
    await lockRunHeads(tx, [run]);
    const locked = await markOf(tx, run);
    if (locked?.toSeq !== mark.toSeq) return;
    for (let i = 0; i < events.length; i += PAGE) await insert(tx, run, events.slice(i, i + PAGE));
    await tx.query(returnStatement, [run.tenantId, run.runId]);
  });
}

async function markOf(db: Queryable, { tenantId, runId }: RunKey): Promise<ColdMark | undefined> {
  const [row] = await db.query<{ toSeq: number; sha256: string; parts: string }>(readMark, [tenantId, runId]);
  return row && { ...row, parts: JSON.parse(row.parts) as LogPart[] };
}

async function insert(tx: Queryable, { tenantId, runId }: RunKey, events: readonly ColdEvent[]): Promise<void> {
  await tx.query(insertEvents, [
    tenantId,
    runId,
    events.map(({ seq }) => seq),
    events.map(({ epoch }) => epoch),
    events.map(({ storedAt }) => storedAt),
    events.map(({ body }) => body),
  ]);
}
