import type { Database, Statement } from '../database.js';

// Ids are of yesterday, today or tomorrow: with the two months after this one, no insert ever waits for a partition.
const readMissing: Statement = {
  name: 'read-missing-partitions',
  text: `
SELECT to_char(month, 'YYYY-MM-DD') AS month
  FROM generate_series(date_trunc('month', now() - interval '1 day'), date_trunc('month', now()) + interval '2 months',
                       interval '1 month') AS month
 WHERE to_regclass('run_events_' || to_char(month, 'YYYYMM')) IS NULL ORDER BY month`,
};

const ensurePartition: Statement = { name: 'ensure-partition', text: 'SELECT ensure_event_partition($1::date)' };

const dropEmpty: Statement = {
  name: 'drop-empty-partitions',
  text: 'SELECT name FROM drop_empty_event_partitions() AS name',
};

/**
 * Makes the log's partitions of this month and the next two. Returns those that could not be made now, since somebody uses
 * what has to be locked or it took too long: the next turn tries again, and until then the default partition stands in.
 */
export async function ensurePartitionsAhead(database: Database): Promise<string[]> {
  const missing = await readMonths(database);
  for (const month of missing) await database.queryAgain(ensurePartition, [month]);
  return missing.length === 0 ? [] : readMonths(database);
}

async function readMonths(database: Database): Promise<string[]> {
  return (await database.queryAgain<{ month: string }>(readMissing)).map(({ month }) => month);
}

/**
 * Drops the partitions of months that are over and hold nothing any more; returns their names. One that is in use at
 * this moment stays until the next turn: nobody who reads or writes the log waits for longer than 100 ms.
 */
export async function dropEmptyPartitions(database: Database): Promise<string[]> {
  return (await database.queryAgain<{ name: string }>(dropEmpty)).map(({ name }) => name);
}
