import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ENGINE_VERSION } from '#libs/engine';
import pg from 'pg';
import { type ApiCaller, command, workflow } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const NEWER = ENGINE_VERSION + 1;

let server: TestServer;
let caller: ApiCaller;
let owner: pg.Client;
beforeAll(async () => {
  server = await testServer({ limit: 1 });
  caller = server.caller;
  owner = new pg.Client({ connectionString: server.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

async function slotOf(runId: string): Promise<unknown> {
  const { rows } = await owner.query('SELECT slot, awaited_engine AS awaited FROM run_heads WHERE run_id = $1', [
    runId,
  ]);
  return rows[0];
}

const isEngineOf = (version: number, runId: string): Promise<unknown> =>
  owner.query('UPDATE runs SET engine_version = $1 WHERE id = $2', [version, runId]);

// start -> rest -> exit
const RESTING = workflow('rest [shape=insulator, duration="3s"] start -> rest -> exit');
// start -> work -> exit
const WORKING = workflow(`${command('work', 'echo done')} start -> work -> exit`);

it('a run of a newer version keeps no other from the only slot, and goes on once a newer worker is there', async () => {
  const newer = await caller.begin(RESTING);
  await caller.logs(newer.id, 'run.parked');
  await isEngineOf(NEWER, newer.id);
  const holds = { slot: 'held', awaited: null };
  await until(async () => isDeepStrictEqual(await slotOf(newer.id), holds), 'it woke and has the slot');
  await caller.finish(WORKING);
  expect(await slotOf(newer.id)).toEqual({ slot: 'parked', awaited: NEWER });

  // The worker of this spec becomes one of the newer version.
  await isEngineOf(ENGINE_VERSION, newer.id);
  await owner.query('UPDATE workers SET engine_version = $1', [NEWER]);
  await caller.logs(newer.id, 'run.completed');
});
