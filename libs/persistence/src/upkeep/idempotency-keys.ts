import type { Database, Statement } from '../database.js';

/** Keys that one statement removes. */
const BATCH = 5_000;
/** What one round removes at most; the next one goes on. */
const BATCHES = 100;

// Keys that another process is about to remove, or that go with their run, are left to it.
const forgetOld: Statement = {
  name: 'forget-old-idempotency-keys',
  text: `
WITH old AS (
  SELECT tenant_id, key FROM idempotency_keys WHERE created_at < now() - interval '24 hours'
   ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED),
gone AS (
  DELETE FROM idempotency_keys k USING old WHERE k.tenant_id = old.tenant_id AND k.key = old.key RETURNING k.key)
SELECT count(*) AS count FROM gone`,
};

/**
 * Forgets idempotency keys that are older than a day, the oldest first: a creation that brings one of them is no repeat any
 * more. Costs what there is to forget, and may be done by several processes at once.
 */
export async function forgetOldIdempotencyKeys(database: Database): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch++) {
    const [row] = await database.queryAgain<{ count: number }>(forgetOld);
    if (row!.count < BATCH) return;
  }
}
