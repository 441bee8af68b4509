import { randomUUID } from 'node:crypto';
import pg from 'pg';

export { startPostgres, type PostgresServer } from './postgres-server.js';

export interface TestDatabase {
  readonly connectionString: string;
  /** Ends whatever is still connected to it. */
  drop(): Promise<void>;
}

/** A copy of an empty database on the PostgreSQL that all spec files share: one per spec file keeps them apart. */
export async function testDatabase(template = 'template1'): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer((client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  return {
    connectionString: urlOf(name),
    drop: () => onServer((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

/** The PostgreSQL that all spec files share. */
function server(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (!url) throw new Error('No test PostgreSQL: add test/support/global-setup.js to this Jest project.');
  return url;
}

export function urlOf(database: string): string {
  return Object.assign(new URL(server()), { pathname: `/${database}` }).href;
}

/** On its maintenance database. */
export async function onServer(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server() });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
