import { startPostgres } from './postgres-server.js';

/** One PostgreSQL for all spec files; a `TEST_POSTGRES_URL` from outside is used as it is. */
export default async function setup() {
  if (process.env.TEST_POSTGRES_URL) return;
  const server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.connectionString;
  globalThis.testPostgres = server;
}
