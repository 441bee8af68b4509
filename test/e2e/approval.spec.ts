import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Principal } from '#libs/events';
import { DEFAULT_TENANT } from '#libs/kernel';
import { ApiCaller, workflow, type Run } from '../support/api-caller.js';
import { faultsIn } from '../support/checker.js';
import { testServer, type TestServer } from '../support/server.js';

jest.setTimeout(30_000);

const RUNS = '/api/v1/runs';
const trivial = workflow('start -> exit');

let server: TestServer;
let person: ApiCaller;
beforeAll(async () => {
  server = await testServer();
  person = server.caller;
});
afterAll(async () => {
  const faults = await faultsIn(server.databaseUrl, { views: server.platform.views, limit: server.limit });
  await server.close();
  expect(faults).toEqual([]);
});

/** Somebody who speaks for a run. */
async function workerOf(runId: string): Promise<ApiCaller> {
  const token = `service_dev_${randomBytes(32).toString('hex')}`;
  const principal: Principal = { kind: 'worker', run_id: runId };
  const digest = createHash('sha256').update(token).digest('hex');
  await server.platform.tokens.add(digest, { tenantId: DEFAULT_TENANT, role: 'operator', principal });
  return new ApiCaller(person.url, token, person.directory);
}

/** A run that another run made and started. */
async function child(): Promise<{ id: string; worker: ApiCaller }> {
  const parent = await person.create(trivial);
  const worker = await workerOf(parent.id);
  const { id } = await worker.create(trivial, { parent_id: parent.id });
  await worker.start(id);
  return { id, worker };
}

const lifecycle = async (id: string): Promise<Run['lifecycle']> => (await person.get(id)).lifecycle;

describe('a run that another run makes', () => {
  it('waits for a person before it is executed', async () => {
    const { id } = await child();
    expect(await lifecycle(id)).toMatchObject({
      status: { kind: 'pending', reason: 'approval_required' },
      approval: { state: 'pending', decided_at: null, denial_reason: null },
    });
    expect((await person.send<Run>('POST', `${RUNS}/${id}/approve`)).status).toBe(200);
    const ended = await person.ends(id);
    expect(ended.lifecycle).toMatchObject({
      status: { kind: 'succeeded' },
      approval: { state: 'approved', decided_at: expect.any(String) },
    });
  });

  it('ends when a person refuses it, for the reason given', async () => {
    const { id } = await child();
    await person.send('POST', `${RUNS}/${id}/deny`, { body: { reason: '  too dear ' } });
    expect(await lifecycle(id)).toMatchObject({
      status: { kind: 'failed', reason: 'approval_denied' },
      approval: { state: 'denied', denial_reason: 'too dear' },
      error: { message: 'too dear' },
    });
  });

  it('is decided once', async () => {
    const { id } = await child();
    const decisions = Array.from({ length: 6 }, (_, n) =>
      person.send('POST', `${RUNS}/${id}/${n % 2 ? 'approve' : 'deny'}`),
    );
    const statuses = (await Promise.all(decisions)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it('is not decided by what made it', async () => {
    const { id, worker } = await child();
    for (const decision of ['approve', 'deny']) {
      expect((await worker.send('POST', `${RUNS}/${id}/${decision}`)).status).toBe(403);
    }
    expect((await lifecycle(id)).status.kind).toBe('pending');
    await person.send('POST', `${RUNS}/${id}/cancel`);
    expect(await lifecycle(id)).toMatchObject({ status: { reason: 'cancelled' }, approval: { state: 'pending' } });
  });

  it('is started without asking when a person starts it', async () => {
    const parent = await person.create(trivial);
    const { id } = await (await workerOf(parent.id)).create(trivial, { parent_id: parent.id });
    await person.start(id);
    expect((await person.ends(id)).lifecycle.approval).toBeNull();
  });
});

it('only what waits for consent can be approved or denied', async () => {
  const { id } = await person.create(trivial);
  for (const decision of ['approve', 'deny']) {
    expect((await person.send('POST', `${RUNS}/${id}/${decision}`)).status).toBe(409);
  }
});
