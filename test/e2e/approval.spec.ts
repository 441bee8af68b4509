import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiCaller, command, workflow, type Run } from '../support/api-caller.js';
import { faultsIn } from '../support/checker.js';
import { testServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

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

/** A run that another run made and started. */
async function child(): Promise<{ id: string; worker: ApiCaller }> {
  const parent = await person.create(trivial);
  const worker = await server.speakerOf(parent.id);
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
    const { id } = await (await server.speakerOf(parent.id)).create(trivial, { parent_id: parent.id });
    await person.start(id);
    expect((await person.ends(id)).lifecycle.approval).toBeNull();
  });
});

describe('the commands of a run', () => {
  const MANAGING = {
    configs: [{ type: 'project', path: '.runyard/project.toml', source: '[run.agent]\nrunyard_tools = true\n' }],
  };
  const show =
    'echo $RUNYARD_RUN_ID $RUNYARD_SERVER $RUNYARD_TOKEN > told; while [ ! -e may-end ]; do sleep 0.05; done';

  /** What a command of a run that is still going on is told of itself. */
  async function told(changes: Record<string, unknown> = {}): Promise<{ id: string; words: string[] }> {
    const { id } = await person.begin(workflow(`${command('show', show)} start -> show -> exit`), changes);
    let words: string[] = [];
    await until(async () => {
      const text = await readFile(join(person.directory, 'told'), 'utf8').catch(() => '');
      words = text.trim().split(' ');
      return words[0] === id && text.endsWith('\n');
    }, 'the command has told what it knows');
    return { id, words };
  }

  async function end(id: string): Promise<void> {
    await writeFile(join(person.directory, 'may-end'), '');
    await person.ends(id);
    await rm(join(person.directory, 'may-end'));
  }

  it('know their run, and nothing to sign in with', async () => {
    const { id, words } = await told();
    expect(words).toEqual([id]);
    await end(id);
  });

  it('speak for their run where its settings say so, until it is over', async () => {
    const { id, words } = await told(MANAGING);
    expect(words.slice(0, 2)).toEqual([id, person.url]);
    const run = new ApiCaller(words[1]!, words[2]!, person.directory);
    const made = await run.create(trivial, { parent_id: id });
    expect(made.created_by).toEqual({ kind: 'worker', run_id: id });
    expect((await run.start(made.id)).lifecycle.status.kind).toBe('pending');
    for (const [method, path] of [
      ['POST', '/approve'],
      ['POST', '/pause'],
      ['DELETE', ''],
    ] as const) {
      expect([path, (await run.send(method, `${RUNS}/${made.id}${path}`)).status]).toEqual([path, 403]);
    }

    await end(id);
    const late = await server.platform.tokens.find(createHash('sha256').update(words[2]!).digest('hex'));
    expect(late).toBeUndefined();
    expect(JSON.stringify(await person.events(id))).not.toContain(words[2]);
  });
});

it('only what waits for consent can be approved or denied', async () => {
  const { id } = await person.create(trivial);
  for (const decision of ['approve', 'deny']) {
    expect((await person.send('POST', `${RUNS}/${id}/${decision}`)).status).toBe(409);
  }
});
