import type { Database, Statement } from '../database.js';

const ensurePartitions: Statement = {
  name: 'ensure-partitions',
  text: `SELECT ensure_event_partition((date_trunc('month', now()) + make_interval(months => m))::date) FROM generate_series(0, 1) m`,
};

const dropEmpty: Statement = {
  name: 'drop-empty-partitions',
  text: 'SELECT name FROM drop_empty_event_partitions() AS name',
};

/** Makes the log's partitions of this month and the next, so that no insert ever waits for one. */
export async function ensurePartitionsAhead(database: Database): Promise<void> {
  await database.queryAgain(ensurePartitions);
}

/**
 * Drops the partitions of months that are over and hold nothing any more; returns their names. One that is in use at
 * this moment stays until the next turn: nobody who reads or writes the log waits for longer than 100 ms.
 */
export async function dropEmptyPartitions(database: Database): Promise<string[]> {
  return (await database.queryAgain<{ name: string }>(dropEmpty)).map(({ name }) => name);
}
