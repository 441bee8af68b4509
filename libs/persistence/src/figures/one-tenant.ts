import type { Database, Statement } from '../database.js';

const countTenants: Statement = { name: 'count-tenants', text: 'SELECT count(*) = 1 AS "isOne" FROM tenants' };

/** Whether everybody who uses this server belongs together. */
export async function hasOneTenant(database: Database): Promise<boolean> {
  const [row] = await database.queryAgain<{ isOne: boolean }>(countTenants, []);
  return row?.isOne ?? false;
}
