import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { command, workflow } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';

let server: TestServer;
let database: pg.Client;
beforeAll(async () => {
  server = await testServer({ limit: 2 });
  database = new pg.Client({ connectionString: server.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await server.close();
});

it('a worker that claims its own run again goes on with the command that it began', async () => {
  const { caller } = server;
  const { id } = await caller.begin(
    workflow(`${command('work', 'echo begin >> ledger; sleep 6')} start -> work -> exit`),
  );
  await caller.logs(id, 'command.started');
  // As a reaper does that took the worker for dead; the next renewal finds out.
  await database.query(`UPDATE run_heads SET lease_expires_at = now() - interval '1 second' WHERE run_id = $1`, [id]);
  await server.platform.bell.ring([{ tenantId: DEFAULT_TENANT, runId: id as RunId, epoch: 2 }]);

  expect((await caller.ends(id, 20_000)).lifecycle.status.kind).toBe('succeeded');
  expect(await readFile(join(server.host.workingDirectory, 'ledger'), 'utf8')).toBe('begin\n');
  const log = await caller.events(id);
  expect(log.filter(({ event }) => event === 'run.claimed')).toHaveLength(2);
  expect(
    log.filter(({ event }) => event === 'stage.completed' || event === 'stage.failed').map((e) => e.stage_id),
  ).toEqual(expect.arrayContaining(['work@1']));
});
