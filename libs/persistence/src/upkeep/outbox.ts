import type { RunHint } from '#libs/scheduling';
import type { Database, Statement } from '../database.js';

export interface OutboxItem extends RunHint {
  id: number;
  kind: string;
  tries: number;
}

// Never "id greater than the last one seen": late commits would be skipped. A row is hidden while it is delivered; a
// crash in between delivers it again.
const takeDue: Statement = {
  name: 'take-outbox',
  text: `
WITH c AS MATERIALIZED (
  SELECT id FROM outbox WHERE not_before <= now() ORDER BY not_before, id FOR UPDATE SKIP LOCKED LIMIT $1)
UPDATE outbox o SET not_before = now() + interval '30 seconds', tries = tries + 1 FROM c WHERE o.id = c.id
RETURNING o.id, o.tenant_id AS "tenantId", o.run_id AS "runId", o.kind, o.tries, (o.payload->>'epoch')::bigint AS epoch`,
};

const done: Statement = { name: 'outbox-done', text: 'DELETE FROM outbox WHERE id = ANY($1::bigint[])' };

const age: Statement = {
  name: 'outbox-age',
  text: `SELECT coalesce(extract(epoch FROM now() - min(created_at)) * 1000, 0)::bigint AS "oldestMs" FROM outbox`,
};

/** What still has to happen after a commit. Each item is delivered at least once. */
export class Outbox {
  constructor(private readonly database: Database) {}

  /** Due items, hidden from everybody else for 30 s. */
  takeDue(limit: number): Promise<OutboxItem[]> {
    return this.database.query<OutboxItem>(takeDue, [limit]);
  }

  async done(ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await this.database.queryAgain(done, [ids]);
  }

  async oldestMs(): Promise<number> {
    const [row] = await this.database.query<{ oldestMs: number }>(age);
    return row?.oldestMs ?? 0;
  }
}
