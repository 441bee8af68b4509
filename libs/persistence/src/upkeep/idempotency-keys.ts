import type { Database, Statement } from '../database.js';

const forgetOld: Statement = {
  name: 'forget-old-idempotency-keys',
  text: `DELETE FROM idempotency_keys WHERE created_at < now() - interval '24 hours'`,
};

/** Forgets idempotency keys that are older than a day: a creation that brings one of them is no repeat any more. */
export async function forgetOldIdempotencyKeys(database: Database): Promise<void> {
  await database.queryAgain(forgetOld);
}
