import { randomUUID } from 'node:crypto';
import pg from 'pg';

export { startPostgres, type PostgresServer } from './postgres-server.js';

export interface TestDatabase {
  readonly connectionString: string;
  /** Ends whatever is still connected to it. */
  drop(): Promise<void>;
}

/** A fresh, empty database on the PostgreSQL that all spec files share: one per spec file keeps them apart. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = process.env.TEST_POSTGRES_URL;
  if (!server) throw new Error('No test PostgreSQL: add test/support/global-setup.js to this Jest project.');

  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runOn(server, `CREATE DATABASE ${name}`);
  return {
    connectionString: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    drop: () => runOn(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function runOn(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
