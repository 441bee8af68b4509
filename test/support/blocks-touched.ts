import { Database } from '#libs/persistence';
import type { RunDatabase } from './run-database.js';

/**
 * How many blocks of tables and indexes the statements of `work` touch: what they cost whatever the machine does
 * meanwhile. `work` gets a database with one connection, and is done once before, so that everything is planned.
 */
export async function blocksTouched(
  { connectionString, sql }: Pick<RunDatabase, 'connectionString' | 'sql'>,
  work: (database: Database) => Promise<unknown>,
): Promise<number> {
  const database = new Database({ connectionString, maxConnections: 1, applicationName: 'blocks touched' });
  const flush = { name: 'flush-statistics', text: 'SELECT pg_stat_force_next_flush()' };
  const touched = async (): Promise<number> => {
    await database.query(flush);
    await database.ping();
    const [row] = await sql<{ blocks: number }>(
      `SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::int AS blocks
         FROM pg_statio_user_tables`,
    );
    return row!.blocks;
  };
  try {
    await work(database);
    // What the schema's owner did before is counted before, too.
    await sql(flush.text);
    const before = await touched();
    await work(database);
    return (await touched()) - before;
  } finally {
    await database.close();
  }
}
