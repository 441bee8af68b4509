import type { RunKey } from '#libs/engine';
import type { Database, Queryable, Statement } from '../database.js';
import { insertEvents } from '../log/event-rows.js';
import { prepared } from '../prepared.js';
import { lockRunHeads } from '../log/locked-heads.js';
import type { ColdEvent } from '../log/cold-events.js';
import type { ColdLogs } from '../log/cold-logs.js';
import { readMark, type ColdMark } from '../log/cold-mark.js';

const insertReturned = prepared<{ run: RunKey; events: readonly ColdEvent[] }>(
  'insert-returned-events',
  (p) => `
${insertEvents({
  tenant_id: p.value('text', ({ run }) => run.tenantId),
  run_id: p.value('text', ({ run }) => run.runId),
  seq: 'e.seq',
  epoch: 'e.epoch',
  stored_at: 'e.stored_at',
  id: "(e.body->>'id')::uuid",
  event: "e.body->>'event'",
  ts: "(e.body->>'ts')::timestamptz",
  body: 'e.body',
})}
  FROM ${p.rows('e', ({ events }) => events, {
    seq: ['bigint', ({ seq }) => seq],
    epoch: ['bigint', ({ epoch }) => epoch],
    stored_at: ['timestamptz', ({ storedAt }) => storedAt],
    body: ['json', ({ body }) => body],
  })}`,
);

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

async function insert(tx: Queryable, run: RunKey, events: readonly ColdEvent[]): Promise<void> {
  const { statement, values } = insertReturned({ run, events });
  await tx.query(statement, values);
}
