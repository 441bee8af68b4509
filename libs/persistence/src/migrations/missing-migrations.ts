import type { Database, Statement } from '../database.js';

const findMissing: Statement = {
  name: 'missing-migrations',
  text: `
SELECT name FROM unnest($1::text[]) AS k(name)
 WHERE NOT EXISTS (SELECT FROM _prisma_migrations m WHERE m.migration_name = k.name
                      AND m.finished_at IS NOT NULL AND m.rolled_back_at IS NULL)`,
};

/**
 * Which of these migrations are not applied; it happens when the database was replaced under a running server. Others
 * may be applied besides: a newer version works next to this one.
 */
export async function missingMigrations(database: Database, names: readonly string[]): Promise<string[]> {
  const rows = await database.queryAgain<{ name: string }>(findMissing, [names]);
  return rows.map(({ name }) => name);
}
