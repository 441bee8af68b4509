import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ObjectStoreUnavailableError } from '#libs/object-store';
import pg from 'pg';
import { type ApiCaller, command, workflow } from '../support/api-caller.js';
import { faultsIn } from '../support/checker.js';
import { testServer, type ServerOptions, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const RUNS = '/api/v1/runs';

let server: TestServer;
let caller: ApiCaller;
const serve = async (options: ServerOptions): Promise<void> => {
  server = await testServer(options);
  caller = server.caller;
};
afterEach(async () => {
  jest.restoreAllMocks();
  await server.close();
});

/** What the owner of the schema does. */
async function sql<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.databaseUrl });
  await client.connect();
  try {
    // Whatever keeps definitions together with their runs is switched off here, as a damage would.
    await client.query('SET session_replication_role = replica');
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

interface Head {
  slot: string;
  losses: number;
  failures: number;
}

async function head(runId: string): Promise<Head> {
  const text = `SELECT slot, epochs_without_progress AS losses, drive_failures AS failures FROM run_heads WHERE run_id = $1`;
  return (await sql<Head>(text, [runId]))[0]!;
}

const loseDefinition = (runId: string) =>
  sql('DELETE FROM definitions WHERE sha256 = (SELECT spec_sha256 FROM runs WHERE id = $1)', [runId]);

/** Nothing is read from the object store, until mocks are restored. */
function objectsAreAway(): void {
  const away = new ObjectStoreUnavailableError({ cause: new Error('no route to host') });
  for (const reading of ['get', 'getRange'] as const) {
    jest.spyOn(server.platform.objects, reading).mockRejectedValue(away);
  }
}

describe('while the object store is away', () => {
  // big -> rest -> choose -> exit where the large output of big has the word, else by way of lost
  const READS_KEPT = workflow(`
    ${command('big', 'head -c 20000 /dev/zero | tr "\\0" x; echo needle')}
    rest [shape=insulator, duration="2500ms"] choose [shape=diamond] ${command('lost', 'exit 1')}
    start -> big -> rest -> choose
    choose -> exit [condition="context.command.output contains needle"]
    choose -> lost -> exit`);

  it('a run that reads a kept value waits for it, loses no worker, and goes on afterwards', async () => {
    await serve({ limit: 2 });
    const { id } = await caller.begin(READS_KEPT);
    await caller.logs(id, 'run.parked');
    objectsAreAway();
    await until(async () => (await head(id)).failures >= 3, 'three workers gave it back', 20_000);
    expect(await head(id)).toMatchObject({ losses: 0 });
    const notices = (await caller.events(id)).filter(({ properties }) => properties?.code === 'drive_deferred');
    expect(notices).toHaveLength(1);
    expect(notices[0]!.properties?.message).toContain('no route to host');

    jest.restoreAllMocks();
    expect((await caller.ends(id, 20_000)).lifecycle.status.kind).toBe('succeeded');
    expect((await caller.stages(id)).map((stage) => stage.id)).not.toContain('lost@1');
    expect(await faultsIn(server.databaseUrl, { views: server.platform.views, limit: 2 })).toEqual([]);
  });

  it('such a run can be cancelled', async () => {
    await serve({ limit: 2 });
    const { id } = await caller.begin(READS_KEPT);
    await caller.logs(id, 'run.parked');
    objectsAreAway();
    await until(async () => (await head(id)).failures >= 1, 'a worker gave it back', 20_000);
    await caller.cancel(id);
    expect((await caller.ends(id)).lifecycle.status).toEqual({ kind: 'failed', reason: 'cancelled' });
  });
});

describe('a run that cannot be opened', () => {
  const named = (name: string) => workflow(`${command(name, 'true')} start -> ${name} -> exit`);

  it('is dead, by name and with its cause, gives its slot to the next one, and can be deleted', async () => {
    await serve({ limit: 1, worker: false });
    const broken = await caller.begin(named('broken'));
    await loseDefinition(broken.id);
    const next = await caller.begin(named('next'));
    await server.startWorker();

    const dead = await caller.ends(broken.id, 30_000);
    expect(dead.lifecycle).toMatchObject({
      status: { kind: 'dead' },
      error: { message: expect.stringContaining('is not stored') },
      pending_control: null,
    });
    expect((await caller.ends(next.id)).lifecycle.status.kind).toBe('succeeded');
    expect(await head(broken.id)).toMatchObject({ slot: 'none', losses: 0 });

    const list = await caller.send<{ data: { id: string; lifecycle: unknown }[] }>('GET', `${RUNS}?limit=10`);
    expect(list.body.data.find(({ id }) => id === broken.id)!.lifecycle).toEqual(dead.lifecycle);
    const stream = await caller.send('GET', `${RUNS}/${broken.id}/attach`);
    expect([stream.status, stream.text.includes('run.created')]).toEqual([200, true]);
    for (const [action, body] of [
      ['start', undefined],
      ['start', { resume: true }],
      ['pause', undefined],
      ['unpause', undefined],
      ['cancel', undefined],
      ['questions/q1/answer', { kind: 'yes' }],
    ] as const) {
      const { status } = await caller.send('POST', `${RUNS}/${broken.id}/${action}`, { ...(body && { body }) });
      expect([action, status]).toEqual([action, 409]);
    }
    const { body } = await caller.send<{ data?: unknown }>('GET', '/api/v1/system/repair/runs');
    expect(JSON.stringify(body)).toContain('It is dead: ');
    expect((await caller.send('DELETE', `${RUNS}/${broken.id}`)).status).toBe(204);
    expect((await caller.send('GET', `${RUNS}/${broken.id}`)).status).toBe(404);
  });

  it('is cancelled: at once where nobody holds it, else by the worker that cannot open it', async () => {
    await serve({ limit: 1, worker: false });
    const [held, queued] = [await caller.begin(named('held')), await caller.begin(named('queued'))];
    for (const { id } of [held, queued]) await loseDefinition(id);
    const cancelled = { kind: 'failed', reason: 'cancelled' };
    expect((await caller.cancel(queued.id)).lifecycle.status).toEqual(cancelled);
    await caller.cancel(held.id);
    await server.startWorker();
    expect((await caller.ends(held.id)).lifecycle.status).toEqual(cancelled);
    expect((await head(held.id)).slot).toBe('none');
  });

  it('is cancelled without any worker, too, and keeps no other from its turn', async () => {
    await serve({ limit: 2, worker: false });
    const runs = [await caller.begin(named('one')), await caller.begin(named('two'))];
    await loseDefinition(runs[0]!.id);
    for (const { id } of runs) await caller.cancel(id);
    for (const { id } of runs) {
      expect((await caller.ends(id, 20_000)).lifecycle.status).toEqual({ kind: 'failed', reason: 'cancelled' });
    }
  });

  it('is deleted by force while it is active', async () => {
    await serve({ limit: 1 });
    const { id } = await caller.create(named('gone'));
    await loseDefinition(id);
    await caller.start(id);
    expect((await caller.send('DELETE', `${RUNS}/${id}?force=true`)).status).toBe(204);
  });
});
