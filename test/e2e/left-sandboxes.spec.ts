import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newUlid } from '#libs/kernel';
import { command, workflow } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ limit: 4 });
});
afterAll(() => server.close());

const folder = (): string => join(server.host.stateDirectory, 'sandboxes', 'default');
const sandboxes = async (): Promise<string[]> => (await readdir(folder())).toSorted();

const yes = { kind: 'selected', option_key: 'Y' } as const;

//  start -> work -> ask -> done -> exit
const gated = workflow(`${command('work', 'echo here')} ask [shape=hexagon, label="Go on?"] ${command('done', 'true')}
  start -> work -> ask; ask -> done [label="[Y] Yes"]; done -> exit`);

async function parked(): Promise<string> {
  const { id } = await server.caller.begin(gated);
  await server.caller.logs(id, 'run.parked');
  return id;
}

it('takes away the sandbox of a run that was cancelled while nobody held it, and no other', async () => {
  const { caller } = server;
  const [cancelled, waiting] = [await parked(), await parked()];
  // As one of another server's would lie there.
  const strange = newUlid(Date.now());
  await cp(join(folder(), cancelled), join(folder(), strange), { recursive: true });

  await caller.send('POST', `/api/v1/runs/${cancelled}/cancel`);
  expect((await caller.ends(cancelled)).lifecycle.status).toEqual({ kind: 'failed', reason: 'cancelled' });
  await until(async () => !(await sandboxes()).includes(cancelled), 'its sandbox is gone', 30_000);
  expect(await sandboxes()).toEqual([waiting, strange].toSorted());

  const [question] = await caller.asks(waiting);
  await caller.answer(waiting, question!.id, yes);
  expect((await caller.ends(waiting)).lifecycle.status.kind).toBe('succeeded');
  await until(async () => !(await sandboxes()).includes(waiting), 'that of the other one went with its end');
  expect(await sandboxes()).toEqual([strange]);
});

it('of a removed run is in the way of none that has its id since, and goes', async () => {
  const other = await testServer({ limit: 2, worker: false });
  try {
    const { caller, host } = other;
    const worker = await other.startWorker();
    const again =
      workflow(`${command('work', 'true')} ask [shape=hexagon] ${command('more', 'true')} last [shape=hexagon]
      start -> work -> ask; ask -> more [label="[Y] Yes"]; more -> last; last -> exit [label="[Y] Yes"]`);
    const { id } = await caller.begin(again);
    await caller.logs(id, 'run.parked');
    const [question] = await caller.asks(id);
    await caller.answer(id, question!.id, yes);
    const parked = async () => (await caller.events(id)).filter(({ event }) => event === 'run.parked').length;
    await until(async () => (await parked()) === 2, 'a second epoch worked in its sandbox', 10_000);
    expect((await caller.send('DELETE', `/api/v1/runs/${id}?force=true`)).status).toBe(204);
    await worker.stop(1_000);
    await other.startWorker();

    await caller.begin(workflow(`${command('work', 'true')} start -> work -> exit`), { run_id: id });
    expect((await caller.ends(id)).lifecycle).toMatchObject({ status: { kind: 'succeeded' }, error: null });
    const left = () => readdir(join(host.stateDirectory, 'sandboxes', 'default'));
    await until(async () => (await left()).length === 0, 'nothing is left of either', 30_000);
  } finally {
    await other.close();
  }
});
