import type { RunKey } from '#libs/engine';
import type { Database, Queryable, Statement } from '../database.js';
import { lockRunHeads } from '../log/locked-heads.js';
import type { ColdEvent } from '../log/cold-events.js';
import type { ColdLogs } from '../log/cold-logs.js';
import { readMark, type ColdMark } from '../log/cold-mark.js';

const insertEvents: Statement = {
  name: 'insert-returned-events',
  text: `
INSERT INTO run_events (tenant_id, run_id, seq, epoch, stored_at, id, event, ts, body)
SELECT $1, $2, e.seq, e.epoch, e.stored_at, (e.body->>'id')::uuid, e.body->>'event', (e.body->>'ts')::timestamptz, e.body
  FROM unnest($3::bigint[], $4::bigint[], $5::timestamptz[], $6::json[]) AS e(seq, epoch, stored_at, body)`,
};

const returnStatement: Statement = { name: 'return-log-part', text: 'SELECT return_log_part($1, $2, $3)' };

const PAGE = 1_000;

/**
 * Brings the log of a run back into the database, because the run is about to go on: from its end, some thousand events in
 * one transaction with the mark that says where the others are. Whenever it ends in the middle, the log is whole, and
 * the next one goes on with it. The objects stay until the run is removed. Harmless when the log is back already.
 */
export async function returnLog(database: Database, cold: ColdLogs, run: RunKey): Promise<void> {
  for (let mark = await readMark(database, run); mark; mark = await readMark(database, run)) {
    const { firstSeq } = mark.parts.at(-1)!;
    const events = await cold.read(run, mark, firstSeq, mark.toSeq + 1);
    await returnPart(database, run, mark, events);
  }
}

/** Nothing is waited for but the database; nothing happens when somebody else moved the mark meanwhile. */
async function returnPart(
  database: Database,
  run: RunKey,
  mark: ColdMark,
  events: readonly ColdEvent[],
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockRunHeads(tx, [run]);
    if ((await readMark(tx, run))?.toSeq !== mark.toSeq) return;
    for (let i = 0; i < events.length; i += PAGE) await insert(tx, run, events.slice(i, i + PAGE));
    await tx.query(returnStatement, [run.tenantId, run.runId, mark.parts.at(-1)!.firstSeq]);
  });
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
