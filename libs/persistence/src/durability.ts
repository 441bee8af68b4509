import type { Database, Statement } from './database.js';

const unsafe: Statement = {
  name: 'unsafe-settings',
  text: `SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name`,
};

/** The settings of the server with which it loses what it has acknowledged when its machine fails. No session can mend them. */
export async function unsafeSettings(database: Database): Promise<string[]> {
  return (await database.queryAgain<{ name: string }>(unsafe)).map(({ name }) => name);
}

const inRecovery: Statement = { name: 'in-recovery', text: 'SELECT pg_is_in_recovery() AS "isStandby"' };

/** Whether the database is a standby that nobody promoted: it answers, and nothing can be stored in it. */
export async function isStandby(database: Database): Promise<boolean> {
  const [row] = await database.queryAgain<{ isStandby: boolean }>(inRecovery);
  return row?.isStandby === true;
}
