import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import config from '../../prisma.config.js';
import { modelledTables } from '../support/prisma/modelled-tables.js';
import { storedShape, storedTables } from '../support/prisma/stored-tables.js';
import { runDatabase, type RunDatabase } from '../support/run-database.js';

/** What Prisma would draft as the next migration is the difference between the two. */
describe('The migrated database and the schema of Prisma', () => {
  const external = config.tables!.external!.map((name) => name.replace(/^public\./, ''));
  let db: RunDatabase;
  let modelled: ReturnType<typeof modelledTables>;
  let owned: string[];
  beforeAll(async () => {
    db = await runDatabase();
    modelled = modelledTables(await readFile('prisma/schema.prisma', 'utf8'));
    owned = [...modelled.keys()].filter((table) => !external.includes(table));
  });
  afterAll(() => db.close());

  it('agree on every table: Prisma owns it, or is told to leave it alone', async () => {
    expect([...owned, ...external].sort()).toEqual(await storedTables(db));
  });

  it('agree on every column, key, reference and index of what Prisma owns', async () => {
    expect(owned).toEqual(['tenants', 'access_tokens']);
    for (const table of owned)
      expect({ table, ...modelled.get(table) }).toEqual({ table, ...(await storedShape(db, table)) });
  });

  it.each([
    ['a column that no migration adds', 'ALTER TABLE tenants DROP COLUMN next_runnable_seq'],
    ['a column that the schema lacks', 'ALTER TABLE tenants ADD COLUMN motto text'],
    ['another type', 'ALTER TABLE tenants ALTER COLUMN max_concurrent_runs TYPE bigint'],
    ['a column that may be empty', 'ALTER TABLE tenants ALTER COLUMN name DROP NOT NULL'],
    ['another default', 'ALTER TABLE tenants ALTER COLUMN next_runnable_seq SET DEFAULT 2'],
    ['an index', 'CREATE INDEX ON tenants (name)'],
    ['a reference', 'ALTER TABLE tenants ADD FOREIGN KEY (id) REFERENCES tenants (id)'],
  ])('differ by %s', async (_what, change) => {
    const session = await db.session();
    const sql: RunDatabase['sql'] = async (text, values = []) => (await session.query(text, [...values])).rows as never;
    await session.query(`BEGIN; ${change}`);
    expect(await storedShape({ sql }, 'tenants')).not.toEqual(modelled.get('tenants'));
    await session.end();
  });
});
