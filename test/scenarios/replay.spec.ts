import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { command, workflow } from '../support/api-caller.js';
import { sourceArguments } from '../support/local-sandbox.js';
import { TestProcess } from '../support/processes.js';
import { testServer, type TestServer } from '../support/server.js';

let server: TestServer;
let owner: pg.Client;
beforeAll(async () => {
  server = await testServer();
  owner = new pg.Client({ connectionString: server.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

/** What `npm run replay` finds in the database, and how it ends. */
async function replay(): Promise<{ found: string[]; exit: number | NodeJS.Signals }> {
  const env = { ...process.env, DATABASE_URL: server.databaseUrl };
  const replaying = TestProcess.start([...sourceArguments, 'scripts/replay.mjs'], env);
  const exit = await replaying.gone(30_000);
  return { found: replaying.output.trimEnd().split('\n'), exit };
}

async function finishedRun(): Promise<string> {
  const source = workflow(`${command('a', 'echo done')} ${command('b', 'exit 3')} start -> a -> b -> exit`);
  const { id } = await server.caller.finish(source);
  // Whoever reads a run brings its read models up to its log.
  await server.caller.stages(id);
  return id;
}

it('finds nothing where every row says what its log says', async () => {
  await finishedRun();
  expect(await replay()).toEqual({
    found: [expect.stringMatching(/^1 runs with \d+ events folded anew, 0 differences$/)],
    exit: 0,
  });
});

it('names every row that says otherwise, and ends with 1', async () => {
  const [view, stage, head, log] = [await finishedRun(), await finishedRun(), await finishedRun(), await finishedRun()];
  const damages: [string, string][] = [
    [`UPDATE run_views SET view = jsonb_set(view::jsonb, '{title}', '"Other"') WHERE run_id = $1`, view],
    [
      `UPDATE stage_views SET view = jsonb_set(view::jsonb, '{status}', '"failed"') WHERE run_id = $1 AND stage_id = 'a@1'`,
      stage,
    ],
    [`UPDATE run_heads SET status = 'failed' WHERE run_id = $1`, head],
    [`DELETE FROM run_events WHERE run_id = $1 AND seq = 5`, log],
  ];
  for (const [text, id] of damages) expect((await owner.query(text, [id])).rowCount).toBe(1);

  const { found, exit } = await replay();
  expect(exit).toBe(1);
  const about = (id: string): string[] => found.filter((line) => line.startsWith(id)).map((line) => line.slice(28));
  expect(about(view)).toEqual(['run_views.view.title: "Other" is stored, "Untitled run" is what the log says']);
  expect(about(stage)).toEqual(['stage_views.a@1.view.status: "failed" is stored, "succeeded" is what the log says']);
  expect(about(head)).toEqual(['run_heads.status: "failed" is stored, "succeeded" is what the log says']);
  expect(about(log)[0]).toBe('run_events: 6 follows 4');
});
