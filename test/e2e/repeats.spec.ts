import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import type { components } from '#libs/api-client';
import { type Answer, command, workflow, type Run } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';
import { specServer } from '../support/spec-server.js';

type Fork = components['schemas']['ForkResponse'];
type Rewound = components['schemas']['RewindResponse'];
type Refused = { errors: { code?: string; detail: string }[] };

const RUNS = '/api/v1/runs';

const server = await specServer();
const { caller } = server;

let keys = 0;
const aKey = () => `key-${++keys}`;
const chain = workflow(`${command('a', 'true')} ${command('b', 'true')} start -> a -> b -> exit`);

async function post<T>(id: string, what: string, key: string, body: unknown = {}): Promise<Answer<T & Refused>> {
  return caller.send(`POST`, `${RUNS}/${id}/${what}`, { body, headers: { 'Idempotency-Key': key } });
}

async function count(): Promise<number> {
  const { body } = await caller.send<{ meta: { total: number } }>('GET', `${RUNS}?limit=1&include_archived=true`);
  return body.meta.total;
}

const eventNames = async (id: string) => (await caller.events(id)).map(({ event }) => event);

describe.each([
  { what: 'retry', made: 201, id: (body: unknown) => (body as Run).id, other: { edits: { goal: 'another' } } },
  { what: 'fork', made: 200, id: (body: unknown) => (body as Fork).new_run_id, other: { target: '@1' } },
  { what: 'rewind', made: 200, id: (body: unknown) => (body as Rewound).new_run_id, other: { target: '@1' } },
])('a $what under an idempotency key', ({ what, made, id, other }) => {
  it('makes one run, however often it is sent, and tells the same of it', async () => {
    const source = await caller.finish(chain);
    const key = aKey();
    const before = await count();
    const first = await post(source.id, what, key);
    expect(first.status).toBe(made);
    await post(source.id, 'archive', aKey());
    const again = await post(source.id, what, key);
    expect([again.status, id(again.body)]).toEqual([made, id(first.body)]);
    if (what !== 'retry') expect(again.body).toEqual(first.body);
    expect(await count()).toBe(before + 1);
  });

  it('makes one run when it is sent many times at once', async () => {
    const source = await caller.finish(chain);
    const key = aKey();
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(source.id, what, key)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => made));
    expect(new Set(answers.map(({ body }) => id(body))).size).toBe(1);
    expect(await count()).toBe(before + 1);
    const archivings = (await eventNames(source.id)).filter((name) => name === 'run.archived');
    expect(archivings).toHaveLength(what === 'rewind' ? 1 : 0);
  });

  it('is refused to another request', async () => {
    const [source, another] = [await caller.finish(chain), await caller.finish(chain)];
    const key = aKey();
    expect((await post(source.id, what, key)).status).toBe(made);
    const before = await count();
    for (const refused of [
      await post(source.id, what, key, other),
      await post(another.id, what, key),
      await post(source.id, what === 'fork' ? 'rewind' : 'fork', key),
      await caller.send<Refused>('POST', RUNS, { body: caller.manifest(chain), headers: { 'Idempotency-Key': key } }),
    ]) {
      expect([refused.status, refused.body.errors[0]?.code]).toEqual([409, 'run_id_taken']);
    }
    expect(await count()).toBe(before);
  });

  it('leaves no key when it was refused', async () => {
    const source = await caller.create(chain);
    const key = aKey();
    expect((await post(source.id, what, key)).status).toBe(409);
    await caller.start(source.id);
    await caller.ends(source.id);
    expect((await post(source.id, what, key)).status).toBe(made);
  });

  it('does without a key what it did before', async () => {
    const source = await caller.finish(chain);
    const before = await count();
    const send = () => caller.send('POST', `${RUNS}/${source.id}/${what}`, { body: {} });
    expect((await send()).status).toBe(made);
    expect((await send()).status).toBe(what === 'rewind' ? 409 : made);
    expect(await count()).toBe(before + (what === 'rewind' ? 1 : 2));
  });
});

it('a rewind that was not retired is when it is sent again', async () => {
  const source = await caller.finish(chain);
  const key = aKey();
  const change = jest.spyOn(server.platform.ledger, 'change').mockRejectedValueOnce(new Error('The process died.'));
  const first = await post<Rewound>(source.id, 'rewind', key);
  change.mockRestore();
  expect([first.status, first.body.archived]).toEqual([207, false]);
  const again = await post<Rewound>(source.id, 'rewind', key);
  expect([again.status, again.body]).toEqual([
    200,
    { source_run_id: source.id, new_run_id: first.body.new_run_id, target: first.body.target, archived: true },
  ]);
  expect((await caller.get(source.id)).superseded_by).toBe(first.body.new_run_id);
});

describe('a run that outlived its definition', () => {
  let bereft: TestServer;
  let id: string;
  beforeAll(async () => {
    bereft = await testServer({ worker: false, limit: 1 });
    await bereft.caller.begin(workflow('start -> exit'));
    ({ id } = await bereft.caller.begin(chain));
    const client = new pg.Client({ connectionString: bereft.databaseUrl });
    await client.connect();
    await client.query('DELETE FROM definitions');
    await client.end();
  });
  afterAll(() => bereft.close());

  it.each(['settings', 'graph', 'graph/source', 'state'])(
    'has no %s any more, which is no fault of the server',
    async (what) => {
      const { status, body } = await bereft.caller.send<Refused>('GET', `${RUNS}/${id}/${what}`);
      expect([status, body.errors[0]?.code]).toEqual([404, 'definition_missing']);
    },
  );

  it('is shown with its log, found by a repair, and can be cancelled and deleted', async () => {
    expect((await bereft.caller.events(id)).length).toBeGreaterThan(3);
    const { body } = await bereft.caller.send<{ runs: { run_id: string }[] }>('GET', '/api/v1/system/repair/runs');
    expect(body.runs.map(({ run_id }) => run_id)).toContain(id);
    expect((await bereft.caller.send('POST', `${RUNS}/${id}/cancel`)).status).toBe(200);
    expect((await bereft.caller.send('POST', `${RUNS}/${id}/cancel`)).status).toBe(409);
    expect((await bereft.caller.send('DELETE', `${RUNS}/${id}`)).status).toBe(204);
    expect((await bereft.caller.send('GET', `${RUNS}/${id}`)).status).toBe(404);
  });
});
