import { describe, expect, it } from '@jest/globals';
import { followRun } from '#libs/api-client';
import { newUlid } from '#libs/kernel';
import { asStored, command, workflow, type EventEnvelope, type Run } from '../support/api-caller.js';
import { specServer } from '../support/spec-server.js';

const RUNS = '/api/v1/runs';
const trivial = workflow('start -> exit');

const server = await specServer();
const { caller } = server;

describe('a run', () => {
  //  start -> greet -> exit
  const greeting = workflow(`goal="Greet the world" ${command('greet', 'echo hello')} start -> greet -> exit`);

  it('goes from its manifest to its result while a client follows it', async () => {
    const created = await caller.create(greeting, { title: '  Say hello ', args: { label: ['team=core'] } });
    expect(created).toMatchObject({
      title: 'Say hello',
      goal: 'Greet the world',
      labels: { team: 'core' },
      lifecycle: { status: { kind: 'submitted' }, queue_position: null, pending_control: null },
      workflow: { slug: 'spec', graph_name: 'Spec', node_count: 3, edge_count: 2 },
      timestamps: { started_at: null, completed_at: null },
    });

    const followed: EventEnvelope[] = [];
    const following = (async () => {
      for await (const event of followRun(server.client, created.id)) followed.push(event);
    })();
    expect((await caller.start(created.id)).lifecycle.status.kind).toMatch(/runnable|starting|running|succeeded/);
    await following;

    expect(followed).toEqual((await caller.events(created.id)).map(asStored));
    expect(followed.map(({ event }) => event)).toEqual([
      'run.created',
      'run.submitted',
      'run.start_requested',
      'run.runnable',
      'run.starting',
      'run.claimed',
      'sandbox.initializing',
      'sandbox.ready',
      'sandbox.initialized',
      'run.notice',
      'run.started',
      'run.running',
      ...['stage.started', 'stage.completed', 'edge.selected', 'checkpoint.completed'],
      ...['stage.started', 'command.started', 'command.completed'],
      ...['stage.completed', 'edge.selected', 'checkpoint.completed'],
      ...['stage.started', 'stage.completed', 'run.completed'],
    ]);
    const run = await caller.get(created.id);
    expect(run.lifecycle).toMatchObject({ status: { kind: 'succeeded', reason: 'completed' }, error: null });
    expect(run.sandbox).toMatchObject({
      kind: 'ready',
      instance: { runtime: { working_directory: caller.directory } },
    });
    expect(run.timestamps.completed_at).not.toBeNull();
  });

  it('shows its stages, settings, bill and graph', async () => {
    const { id } = await caller.finish(greeting, { args: { input: ['count=3', 'name=ada'] } });
    expect(await caller.stages(id)).toMatchObject([
      { id: 'start@1', handler: 'start', status: 'succeeded' },
      { id: 'greet@1', node_id: 'greet', handler: 'command', status: 'succeeded', visit: 1, graph_visit: 1 },
      { id: 'exit@1', handler: 'exit', status: 'succeeded' },
    ]);
    const settings = await caller.send(`GET`, `${RUNS}/${id}/settings`);
    expect(settings.body).toMatchObject({
      workflow: { graph: 'spec.dot' },
      run: {
        goal: { type: 'inline', value: 'Greet the world' },
        inputs: { count: 3, name: 'ada' },
        environment: { id: 'default', provider: 'local' },
      },
    });
    const billing = await caller.send('GET', `${RUNS}/${id}/billing`);
    expect(billing.body).toMatchObject({
      stages: [{ stage: { id: 'greet', name: 'greet' }, state: 'succeeded', billing: { total_tokens: 0 } }],
      totals: { total_tokens: 0 },
      by_model: [],
    });
    const source = await caller.send('GET', `${RUNS}/${id}/graph/source`);
    expect([source.headers.get('content-type'), source.text]).toEqual(['text/vnd.graphviz', greeting]);
    const drawing = await caller.send('GET', `${RUNS}/${id}/graph?direction=LR`);
    expect(drawing.headers.get('content-type')).toBe('image/svg+xml');
    expect(drawing.text).toMatch(/<svg[^]*greet[^]*<\/svg>/);
    expect(drawing.text).not.toMatch(/<script|href="|\son\w+="/);
  });

  it('can be created under an id of the client, once', async () => {
    const manifest = caller.manifest(trivial, { run_id: newUlid(Date.now()) });
    const first = await caller.send<Run>('POST', RUNS, { body: manifest });
    const again = await caller.send<Run>('POST', RUNS, { body: manifest });
    expect([first.status, again.status, first.body.id, again.body.id]).toEqual([
      201,
      201,
      manifest.run_id,
      manifest.run_id,
    ]);
    const other = await caller.send('POST', RUNS, { body: { ...manifest, title: 'Another one' } });
    expect(other.status).toBe(409);
    expect(other.body).toMatchObject({ errors: [{ status: '409', code: 'run_id_taken' }] });
    expect(await caller.events(first.body.id)).toHaveLength(2);
  });

  it('can be created under a key of the client, once, by many at the same time', async () => {
    const body = caller.manifest(trivial);
    const headers = { 'idempotency-key': 'the-key' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => caller.send<Run>('POST', RUNS, { body, headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1);
    const other = await caller.send('POST', RUNS, { body: { ...body, title: 'Another one' }, headers });
    expect(other.status).toBe(409);
  });

  it('is started once, by however many at the same time', async () => {
    const { id } = await caller.create(trivial);
    const answers = await Promise.all(Array.from({ length: 10 }, () => caller.send('POST', `${RUNS}/${id}/start`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(9).fill(409)]);
    await caller.ends(id);
  });
});

describe('the list of runs', () => {
  it('is cut into pages, newest first, and filtered by column', async () => {
    const parent = await caller.create(trivial, { title: 'The parent' });
    const children: string[] = [];
    for (let i = 0; i < 5; i++) children.push((await caller.create(trivial, { parent_id: parent.id })).id);
    await caller.start(children[0]!);
    await caller.ends(children[0]!);

    const list = async (query: string) => {
      const path = `${RUNS}?parent_id=${parent.id}&${query}`;
      const { body } = await caller.send<{ data: Run[]; meta: object }>('GET', path);
      return { ids: body.data.map(({ id }) => id), meta: body.meta };
    };
    const newest = children.toReversed();
    expect(await list('limit=2')).toMatchObject({ ids: newest.slice(0, 2), meta: { has_more: true, total: 5 } });
    expect(await list('limit=2&offset=4')).toEqual({ ids: newest.slice(4), meta: { has_more: false, total: 5 } });
    expect(await list('offset=9')).toEqual({ ids: [], meta: { has_more: false, total: 5 } });
    expect(await list('direction=asc')).toMatchObject({ ids: children });
    expect(await list('status=succeeded')).toMatchObject({ ids: [children[0]], meta: { total: 1 } });
    expect(await list('status=pending')).toMatchObject({ meta: { total: 4 } });
    expect(await list('status=pending&status=succeeded')).toMatchObject({ meta: { total: 5 } });
    expect(await list('status=failed')).toMatchObject({ ids: [] });
    expect((await caller.get(parent.id)).children_count).toBe(5);
  });
});

describe('the log of a run', () => {
  it('is read forwards and backwards, in pages', async () => {
    const { id } = await caller.finish(workflow(`${command('a', 'true')} start -> a -> exit`));
    const log = await caller.events(id);
    const page = async (query: string) => {
      const path = `${RUNS}/${id}/events?${query}`;
      const { body } = await caller.send<{ data: EventEnvelope[]; meta: { has_more: boolean } }>('GET', path);
      return { seqs: body.data.map(({ seq }) => seq), more: body.meta.has_more };
    };
    const last = log.length;
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    expect(await page('since_seq=3&limit=2')).toEqual({ seqs: [3, 4], more: true });
    expect(await page(`since_seq=${last}`)).toEqual({ seqs: [last], more: false });
    expect(await page(`since_seq=${last + 1}`)).toEqual({ seqs: [], more: false });
    expect(await page('order=desc&limit=2')).toEqual({ seqs: [last, last - 1], more: true });
    expect(await page('order=desc&before_seq=3')).toEqual({ seqs: [2, 1], more: false });
    expect((await page('order=desc&before_seq=1')).seqs).toEqual([]);
  });

  it('is the same for clients that come late, leave and come again', async () => {
    const { id } = await caller.begin(
      workflow(`${command('a', 'sleep 0.4')} ${command('b', 'sleep 0.4')} start -> a -> b -> exit`),
    );
    const first = await attached(id, {}, 14);
    const resumed = attached(id, { headers: { 'last-event-id': String(first.at(-1)!.seq) } });
    const late = attached(id, { query: '?since_seq=10' });
    await caller.ends(id);
    const log = (await caller.events(id)).map(asStored);
    expect([...first, ...(await resumed)]).toEqual(log);
    expect(await late).toEqual(log.slice(9));
    expect(await attached(id, { query: '?since_seq=3', headers: { 'last-event-id': '20' } })).toEqual(log.slice(20));
    expect(await attached(id, { headers: { 'last-event-id': String(log.length) } })).toEqual([]);
  });

  /** The events of a stream until it ends, or until so many have come. */
  async function attached(
    id: string,
    { query = '', headers = {} }: { query?: string; headers?: Record<string, string> },
    count = Infinity,
  ): Promise<EventEnvelope[]> {
    const response = await fetch(`${server.url}${RUNS}/${id}/attach${query}`, {
      headers: { authorization: `Bearer ${caller.token}`, ...headers },
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events: EventEnvelope[] = [];
    let text = '';
    for await (const bytes of response.body!) {
      text += Buffer.from(bytes as Uint8Array).toString();
      const frames = text.split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data === undefined) continue;
        const event = JSON.parse(data) as EventEnvelope;
        expect(frame).toContain(`id: ${event.seq}\n`);
        if (events.push(event) === count) return events;
      }
    }
    return events;
  }
});

describe('removing a run', () => {
  it('takes one that is over, and everything of it', async () => {
    const { id } = await caller.finish(trivial);
    expect((await caller.send('DELETE', `${RUNS}/${id}`)).status).toBe(204);
    expect((await caller.send('GET', `${RUNS}/${id}`)).status).toBe(404);
    expect((await caller.send('GET', `${RUNS}/${id}/events`)).status).toBe(404);
    expect((await caller.send('DELETE', `${RUNS}/${id}`)).status).toBe(204);
  });

  it('takes one that is at work only by force, and ends it first', async () => {
    const { id } = await caller.begin(workflow(`${command('long', 'sleep 60')} start -> long -> exit`));
    await caller.logs(id, 'command.started');
    const refused = await caller.send('DELETE', `${RUNS}/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('force=true');
    expect((await caller.send('DELETE', `${RUNS}/${id}?force=true`)).status).toBe(204);
    expect((await caller.send('GET', `${RUNS}/${id}`)).status).toBe(404);
  });

  it('of an id that nobody has is done already', async () => {
    expect((await caller.send('DELETE', `${RUNS}/${newUlid(Date.now())}`)).status).toBe(204);
  });
});
