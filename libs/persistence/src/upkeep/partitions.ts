import type { Database, Statement } from '../database.js';

const ensurePartitions: Statement = {
  name: 'ensure-partitions',
  text: `SELECT ensure_event_partition((date_trunc('month', now()) + make_interval(months => m))::date) FROM generate_series(0, 1) m`,
};

/** Makes the log's partitions of this month and the next, so that no insert ever waits for one. */
export async function ensurePartitionsAhead(database: Database): Promise<void> {
  await database.queryAgain(ensurePartitions);
}
