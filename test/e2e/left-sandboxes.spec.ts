import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newUlid } from '#libs/kernel';
import { command, workflow } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

jest.setTimeout(60_000);

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ limit: 4 });
});
afterAll(() => server.close());

const folder = (): string => join(server.host.stateDirectory, 'sandboxes', 'default');
const sandboxes = async (): Promise<string[]> => (await readdir(folder())).toSorted();

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
  const body = { kind: 'selected', option_key: 'Y' };
  await caller.send('POST', `/api/v1/runs/${waiting}/questions/${question!.id}/answer`, { body });
  expect((await caller.ends(waiting)).lifecycle.status.kind).toBe('succeeded');
  await until(async () => !(await sandboxes()).includes(waiting), 'that of the other one went with its end');
  expect(await sandboxes()).toEqual([strange]);
});
