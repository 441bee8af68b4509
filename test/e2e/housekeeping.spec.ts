import { describe, expect, it, jest } from '@jest/globals';
import { followRun } from '#libs/api-client';
import { DEFAULT_TENANT, newUlid, type RunId } from '#libs/kernel';
import { ObjectStoreUnavailableError } from '#libs/object-store';
import { command, workflow, type Run } from '../support/api-caller.js';
import { specServer } from '../support/spec-server.js';
import { until } from '../support/until.js';

const RUNS = '/api/v1/runs';
const trivial = workflow('start -> exit');
const long = workflow(`${command('long', 'sleep 60')} start -> long -> exit`);

interface Fault {
  errors: { status: string; detail: string; code?: string }[];
}

const server = await specServer();
const { caller } = server;

const run = (id: string, rest = '') => `${RUNS}/${id}${rest}`;
const nobodys = () => newUlid(Date.now());

async function post<T = Run>(path: string, body?: unknown, by = caller): Promise<{ status: number; body: T }> {
  return by.send<T>('POST', path, body === undefined ? {} : { body });
}

async function listed(query: string): Promise<string[]> {
  const { body } = await caller.send<{ data: Run[] }>('GET', `${RUNS}?limit=100&${query}`);
  return body.data.map(({ id }) => id);
}

const eventsAfter = async (id: string, seq: number) =>
  (await caller.events(id)).slice(seq).map(({ event, properties }) => ({ event, properties }));

describe('renaming a run', () => {
  const rename = (id: string, body: unknown) => caller.send<Run>('PATCH', run(id), { body });

  it('gives it another title, at any time and once', async () => {
    const { id } = await caller.create(trivial, { title: 'Before' });
    expect((await rename(id, { title: '  After ' })).body.title).toBe('After');
    expect((await rename(id, { title: 'After' })).status).toBe(200);
    expect(await eventsAfter(id, 2)).toEqual([{ event: 'run.title.updated', properties: { title: 'After' } }]);
    await caller.start(id);
    await caller.ends(id);
    await post(run(id, '/archive'));
    expect((await rename(id, { title: 'Archived' })).body.title).toBe('Archived');
  });

  it('does not get in the way of the worker that drives it', async () => {
    const [parent, { id }] = [
      await caller.create(trivial),
      await caller.begin(workflow(`${command('a', 'sleep 0.5')} start -> a -> exit`)),
    ];
    await caller.logs(id, 'command.started');
    await rename(id, { title: 'At work' });
    await caller.send('PUT', run(id, '/parent'), { body: { parent_id: parent.id } });
    expect(await caller.ends(id)).toMatchObject({
      title: 'At work',
      parent_id: parent.id,
      lifecycle: { status: { kind: 'succeeded' } },
    });
    const claims = (await caller.events(id)).filter(({ event }) => event === 'run.claimed');
    expect(claims).toHaveLength(1);
  });

  it('follows in the order of the list', async () => {
    const { id: parent_id } = await caller.create(trivial);
    const first = await caller.create(trivial, { parent_id, title: 'b' });
    const second = await caller.create(trivial, { parent_id, title: 'c' });
    await rename(second.id, { title: 'A' });
    await server.platform.views.catchUp([{ tenantId: DEFAULT_TENANT, runId: second.id as RunId }]);
    expect(await listed(`parent_id=${parent_id}&sort=title&direction=asc`)).toEqual([second.id, first.id]);
  });

  it.each([
    ['nothing', {}, 'title is missing'],
    ['null', { title: null }, 'title must be text'],
    ['a blank', { title: ' ' }, 'must not be blank'],
    ['two lines', { title: 'a\nb' }, 'one line'],
    ['101 characters', { title: 'x'.repeat(101) }, 'at most 100'],
    ['no JSON', '{"title": ', 'JSON'],
  ])('refuses %s', async (_, body, detail) => {
    const { id } = await caller.create(trivial, { title: 'Kept' });
    const answer = await rename(id, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(detail)]);
    expect((await caller.get(id)).title).toBe('Kept');
  });

  it('answers 404 for a run that is not there, and 400 for an id that is none', async () => {
    expect((await rename(nobodys(), { title: 'x' })).status).toBe(404);
    expect((await rename('x', { title: 'x' })).status).toBe(400);
  });
});

describe('archiving a run', () => {
  it('takes it out of the lists until it is brought back, and keeps its status', async () => {
    const { id: parent_id } = await caller.create(trivial);
    const { id } = await caller.finish(trivial, { parent_id });
    const archived = await post(run(id, '/archive'));
    expect(archived).toMatchObject({
      status: 200,
      body: { lifecycle: { archived: true, status: { kind: 'succeeded', reason: 'completed' } } },
    });
    expect(archived.body.lifecycle.archived_at).toBe(archived.body.timestamps.last_event_at);
    expect((await post(run(id, '/archive'))).body).toEqual(archived.body);
    const of = (query: string) => listed(`parent_id=${parent_id}&${query}`);
    expect(await of('')).toEqual([]);
    expect(await of('include_archived=true')).toEqual([id]);
    expect(await of('status=archived')).toEqual([id]);
    expect(await of('status=succeeded')).toEqual([]);
    expect(await of('status=succeeded&include_archived=true')).toEqual([]);

    const back = await post(run(id, '/unarchive'));
    expect(back.body.lifecycle).toMatchObject({ archived: false, archived_at: null });
    expect((await post(run(id, '/unarchive'))).status).toBe(200);
    expect(await of('')).toEqual([id]);
    const names = (await caller.events(id)).map(({ event }) => event);
    expect(names.slice(names.indexOf('run.completed'))).toEqual(['run.completed', 'run.archived', 'run.unarchived']);
  });

  it('shows in its log, also to whoever follows it from the beginning', async () => {
    const { id } = await caller.finish(trivial);
    await post(run(id, '/archive'));
    const seen: number[] = [];
    for await (const { seq } of followRun(server.client, id)) seen.push(seq);
    expect(seen).toEqual((await caller.events(id)).map(({ seq }) => seq));
  });

  it('is what a rewind does to the run that it replaces', async () => {
    const { id } = await caller.finish(workflow(`${command('a', 'true')} start -> a -> exit`));
    const { status, body } = await post<{ new_run_id: string; archived: boolean }>(run(id, '/rewind'));
    expect([status, body.archived]).toEqual([200, true]);
    expect(await caller.get(id)).toMatchObject({ superseded_by: body.new_run_id, lifecycle: { archived: true } });
    expect(await listed('status=archived')).toContain(id);
  });

  it('makes it read-only: whoever wants to do something with it is told to unarchive it', async () => {
    const { id } = await caller.finish(trivial);
    await post(run(id, '/archive'));
    for (const what of ['/start', '/cancel', '/pause', '/unpause', '/retry', '/fork', '/rewind']) {
      const answer = await post<Fault>(run(id, what));
      expect([what, answer.status, answer.body.errors[0]]).toEqual([
        what,
        409,
        expect.objectContaining({ code: 'run_archived', detail: expect.stringContaining('Unarchive it first') }),
      ]);
    }
    const resumed = await post<Fault>(run(id, '/start'), { resume: true });
    expect(resumed.body.errors[0]?.code).toBe('run_archived');
    for (const what of ['', '/stages', '/events', '/graph/source', '/settings']) {
      expect((await caller.send('GET', run(id, what))).status).toBe(200);
    }
    expect((await caller.send('DELETE', run(id))).status).toBe(204);
  });

  it('is refused while the run is not over, in both directions', async () => {
    const { id } = await caller.create(trivial);
    for (const what of ['archive', 'unarchive']) {
      const answer = await post<Fault>(run(id, `/${what}`));
      expect([answer.status, answer.body.errors[0]?.detail]).toEqual([
        409,
        `Run ${id} is submitted; it cannot be ${what}d.`,
      ]);
      expect((await post(run(nobodys(), `/${what}`))).status).toBe(404);
    }
    expect(await caller.events(id)).toHaveLength(2);
  });
});

describe('a batch', () => {
  interface Batch {
    results: {
      run_id: string;
      ok: boolean;
      outcome: string;
      run?: Run;
      error?: { status: string; request_id: string };
    }[];
    summary: object;
  }
  const outcomes = ({ results }: Batch) => results.map(({ run_id, ok, outcome }) => [run_id, ok, outcome]);

  it('archives and unarchives each run as if it were the only one', async () => {
    const [first, second] = [await caller.finish(trivial), await caller.finish(trivial)];
    await post(run(second.id, '/archive'));
    const active = await caller.create(trivial);
    const missing = nobodys();
    const run_ids = [missing, first.id, second.id, active.id];
    const archived = await post<Batch>(`${RUNS}/archive`, { run_ids });
    expect(archived.status).toBe(200);
    expect(outcomes(archived.body)).toEqual([
      [missing, false, 'not_found'],
      [first.id, true, 'archived'],
      [second.id, true, 'already_archived'],
      [active.id, false, 'conflict'],
    ]);
    expect(archived.body.summary).toEqual({ requested: 4, succeeded: 2, failed: 2 });
    expect(archived.body.results[1]?.run).toEqual(await caller.get(first.id));
    expect(archived.body.results[3]).toMatchObject({ error: { status: '409', title: 'Conflict' } });

    const back = await post<Batch>(`${RUNS}/unarchive`, { run_ids: [first.id, active.id] });
    expect(outcomes(back.body)).toEqual([
      [first.id, true, 'unarchived'],
      [active.id, false, 'conflict'],
    ]);
  });

  it('is marked before anything of it is deleted, and goes on where it got stuck', async () => {
    const { id } = await caller.finish(workflow('start -> exit'));
    await caller.send('POST', `${RUNS}/${id}/archive`);
    const deleting = jest.spyOn(server.platform.objects, 'deleteAll');
    deleting.mockRejectedValueOnce(new ObjectStoreUnavailableError({ cause: new Error('no route') }));
    const stuck = await caller.send('DELETE', `${RUNS}/${id}`);
    expect(stuck.status).toBe(503);
    expect((await caller.get(id)).lifecycle.status).toEqual({ kind: 'removing' });
    expect((await caller.events(id)).at(-1)).toMatchObject({ event: 'run.removing', actor: { kind: 'user' } });
    const { body } = await caller.send<{ data: Run[] }>('GET', `${RUNS}?status=removing`);
    expect(body.data.map((run) => run.id)).toEqual([id]);
    for (const what of ['start', 'cancel', 'retry', 'fork', 'rewind', 'unarchive']) {
      expect([what, (await caller.send('POST', `${RUNS}/${id}/${what}`)).status]).toEqual([what, 409]);
    }

    const [first, second] = await Promise.all([1, 2].map(() => caller.send('DELETE', `${RUNS}/${id}`)));
    expect([first!.status, second!.status]).toEqual([204, 204]);
    expect((await caller.send('GET', `${RUNS}/${id}`)).status).toBe(404);
    deleting.mockRestore();
  });

  it('takes no run that got its id while an earlier removal of it was slow', async () => {
    const { id } = await caller.finish(trivial);
    const { objects } = server.platform;
    const deleteAll = objects.deleteAll.bind(objects);
    let goOn = (): void => undefined;
    const slow = new Promise<void>((resolve) => (goOn = resolve));
    const deleting = jest.spyOn(objects, 'deleteAll').mockImplementationOnce(async (folder) => {
      await slow;
      await deleteAll(folder);
    });
    const first = caller.send('DELETE', run(id));
    await until(() => deleting.mock.calls.length === 1, 'the first removal is under way');
    expect((await caller.send('DELETE', run(id))).status).toBe(204);
    await caller.create(trivial, { run_id: id, title: 'The second of this id' });
    goOn();
    expect((await first).status).toBe(204);
    expect((await caller.get(id)).title).toBe('The second of this id');
    deleting.mockRestore();
  });

  it('deletes what is over, and by force what is active', async () => {
    const over = await caller.finish(trivial);
    const active = await caller.begin(long);
    await caller.logs(active.id, 'command.started');
    const waiting = await caller.create(trivial);
    const missing = nobodys();
    const run_ids = [over.id, active.id, waiting.id, missing];
    const first = await post<Batch>(`${RUNS}/delete`, { run_ids });
    expect(outcomes(first.body)).toEqual([
      [over.id, true, 'deleted'],
      [active.id, false, 'conflict'],
      [waiting.id, false, 'conflict'],
      [missing, true, 'already_absent'],
    ]);
    const forced = await post<Batch>(`${RUNS}/delete`, { run_ids, force: true });
    expect(forced.body.results.map(({ outcome }) => outcome)).toEqual([
      'already_absent',
      'deleted',
      'deleted',
      'already_absent',
    ]);
    expect(forced.body.summary).toEqual({ requested: 4, succeeded: 4, failed: 0 });
    for (const id of run_ids) expect((await caller.send('GET', run(id))).status).toBe(404);
  });

  it('takes 250 runs and not one more, each once, and nothing else', async () => {
    const ids = Array.from({ length: 251 }, nobodys);
    expect((await post<Batch>(`${RUNS}/archive`, { run_ids: ids.slice(1) })).body.summary).toMatchObject({
      failed: 250,
    });
    const { id } = await caller.finish(trivial);
    for (const what of ['archive', 'unarchive', 'delete']) {
      for (const body of [{}, { run_ids: [] }, { run_ids: ids }, { run_ids: [id, id] }, { run_ids: [id, 'x'] }, []]) {
        expect((await post(`${RUNS}/${what}`, body)).status).toBe(400);
      }
    }
    expect((await caller.get(id)).lifecycle.archived).toBe(false);
  });

  it('does not reach the runs of others', async () => {
    const { id } = await caller.finish(trivial);
    const stranger = await server.stranger();
    expect(outcomes((await post<Batch>(`${RUNS}/archive`, { run_ids: [id] }, stranger)).body)).toEqual([
      [id, false, 'not_found'],
    ]);
    await post<Batch>(`${RUNS}/delete`, { run_ids: [id], force: true }, stranger);
    expect((await caller.get(id)).lifecycle.archived).toBe(false);
  });
});

describe('retrying a run', () => {
  it('makes a new run of the same definition that starts at once', async () => {
    const parent = await caller.create(trivial);
    const flaky = workflow(`goal="Try" ${command('a', 'test -f again', 'goal_gate=true')} start -> a -> exit`);
    const labels = { args: { label: ['team=core'], input: ['n=1'] } };
    const source = await caller.finish(flaky, { ...labels, parent_id: parent.id, title: 'Before' });
    await caller.send('PATCH', run(source.id), { body: { title: 'After' } });
    expect(source.lifecycle.error?.message).toEqual(expect.any(String));
    const answer = await post(run(source.id, '/retry'));
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      retried_from: source.id,
      parent_id: parent.id,
      title: 'After',
      goal: 'Try',
      labels: { team: 'core' },
      workflow: source.workflow,
      source_directory: source.source_directory,
    });
    expect(answer.body.lifecycle.status.kind).toMatch(/runnable|starting|running|failed/);
    const retried = await caller.ends(answer.body.id);
    expect(retried.lifecycle.status.kind).toBe('failed');
    expect((await caller.stages(retried.id)).map(({ id }) => id)).toEqual(
      (await caller.stages(source.id)).map(({ id }) => id),
    );
    for (const what of ['/settings', '/graph/source']) {
      const [old, again] = await Promise.all([source, retried].map(({ id }) => caller.send('GET', run(id, what))));
      expect(again!.text).toBe(old!.text);
    }
    const [created] = await caller.events(retried.id);
    expect(created?.properties).toMatchObject({ retried_from: source.id, workflow_source: flaky });
    expect((await caller.get(source.id)).retried_from).toBeNull();
    expect((await caller.get(parent.id)).children_count).toBe(2);
  });

  it('takes other inputs, and keeps what else the run was', async () => {
    const source = workflow(`${command('a', 'test {{ inputs.n }} = 2', 'goal_gate=true')} start -> a -> exit`);
    const failed = await caller.finish(source, { args: { input: ['n=1', 'm=1'], label: ['team=core'] } });
    await caller.send('PATCH', run(failed.id), { body: { title: 'After' } });
    const { status, body } = await post(run(failed.id, '/retry'), { edits: { inputs: { n: '2' } } });
    expect([status, body.title, body.labels, body.retried_from]).toEqual([201, 'After', { team: 'core' }, failed.id]);
    expect((await caller.ends(body.id)).lifecycle.status.kind).toBe('succeeded');
    const settings = await caller.send('GET', run(body.id, '/settings'));
    expect(settings.body).toMatchObject({ run: { inputs: { n: 2, m: 1 } } });
  });

  it('is refused while the run is not over, and for one that is not there', async () => {
    const { id } = await caller.create(trivial);
    const answer = await post<Fault>(run(id, '/retry'));
    expect([answer.status, answer.body.errors[0]?.detail]).toEqual([
      409,
      `Run ${id} is submitted; it cannot be retried.`,
    ]);
    expect((await post(run(nobodys(), '/retry'))).status).toBe(404);
    expect((await post(run('x', '/retry'))).status).toBe(400);
  });
});

describe('the parent of a run', () => {
  const link = (id: string, parent_id: unknown) => caller.send<Run>('PUT', run(id, '/parent'), { body: { parent_id } });
  const unlink = (id: string) => caller.send<Run>('DELETE', run(id, '/parent'));

  it('is set, replaced and taken away, whatever the status', async () => {
    const [child, first, second] = [
      await caller.finish(trivial),
      await caller.create(trivial),
      await caller.create(trivial),
    ];
    const seq = (await caller.events(child.id)).length;
    expect((await link(child.id, first.id)).body.parent_id).toBe(first.id);
    await link(child.id, first.id);
    expect((await link(child.id, second.id)).body.parent_id).toBe(second.id);
    const counts = async () => [
      (await caller.get(first.id)).children_count,
      (await caller.get(second.id)).children_count,
    ];
    expect(await counts()).toEqual([0, 1]);
    expect(await listed(`parent_id=${second.id}`)).toEqual([child.id]);
    expect((await unlink(child.id)).body.parent_id).toBeNull();
    expect((await unlink(child.id)).status).toBe(200);
    expect(await counts()).toEqual([0, 0]);
    expect(await eventsAfter(child.id, seq)).toEqual([
      { event: 'run.parent.linked', properties: { parent_id: first.id } },
      { event: 'run.parent.linked', properties: { parent_id: second.id, previous_parent_id: first.id } },
      { event: 'run.parent.unlinked', properties: { previous_parent_id: second.id } },
    ]);
  });

  it('is never the run itself, nor one that descends from it', async () => {
    const top = await caller.create(trivial);
    const bottom = await caller.create(trivial, { parent_id: top.id });
    for (const parent of [top, bottom]) {
      const answer = await link(top.id, parent.id);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('parent_cycle')]);
    }
    const pair = [await caller.create(trivial), await caller.create(trivial)];
    const both = await Promise.all([link(pair[0]!.id, pair[1]!.id), link(pair[1]!.id, pair[0]!.id)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('must be there', async () => {
    const top = await caller.create(trivial);
    expect((await link(top.id, nobodys())).status).toBe(404);
    expect((await link(nobodys(), top.id)).status).toBe(404);
    expect((await unlink(nobodys())).status).toBe(404);
    expect((await link(top.id, 'x')).status).toBe(400);
    expect((await link(top.id, null)).status).toBe(400);
  });

  it('is nobody once it is deleted, also when another run gets its id', async () => {
    const top = await caller.create(trivial);
    const bottom = await caller.finish(trivial, { parent_id: top.id });
    const seq = (await caller.events(bottom.id)).length;
    expect((await caller.send('DELETE', `${run(top.id)}?force=true`)).status).toBe(204);
    expect((await caller.get(bottom.id)).parent_id).toBeNull();
    expect(await listed(`parent_id=${top.id}`)).toEqual([]);
    expect(await eventsAfter(bottom.id, seq)).toEqual([
      { event: 'run.parent.unlinked', properties: { previous_parent_id: top.id } },
    ]);
    const again = caller.manifest(trivial, { run_id: top.id, parent_id: bottom.id });
    expect((await post(RUNS, again)).status).toBe(201);
  });
});

describe('finding a run', () => {
  const resolve = (selector: string, match = 'newest') =>
    caller.send<Run>('GET', `${RUNS}/resolve?selector=${encodeURIComponent(selector)}&match=${match}`);

  /** A run of a workflow of that name. */
  const ofWorkflow = (slug: string) => {
    const file = `flows/${slug}.dot`;
    return caller.create(trivial, {
      target: { identifier: slug, path: file },
      workflows: { [file]: { source: trivial } },
    });
  };

  it('takes the beginning of one id, else the newest run of a workflow', async () => {
    const older = await ofWorkflow('ship-it');
    const newer = await ofWorkflow('ship-it');
    expect((await resolve(older.id)).body.id).toBe(older.id);
    expect((await resolve(` ${older.id.slice(0, 25)} `)).status).toBe(200);
    for (const name of ['ship-it', 'SHIP-IT', 'shipit', 'ship_i']) expect((await resolve(name)).body.id).toBe(newer.id);
  });

  it('takes a workflow by its whole name only, or by a part that no other has, where that is asked for', async () => {
    const plan = await ofWorkflow('tidal-plan');
    expect((await resolve('tidal', 'unique')).body.id).toBe(plan.id);
    const later = await ofWorkflow('tidal-plan-b');
    for (const match of ['unique', 'exact']) expect((await resolve('Tidal-Plan', match)).body.id).toBe(plan.id);
    for (const match of ['unique', 'exact']) expect((await resolve(later.id, match)).body.id).toBe(later.id);
    const several = await resolve('tidal', 'unique');
    expect([several.status, several.text]).toEqual([400, expect.stringContaining('tidal-plan-b, tidal-plan')]);
    const part = await resolve('tidal', 'exact');
    expect([part.status, part.text]).toEqual([404, expect.stringContaining('give the whole name')]);
    const letter = await resolve('0', 'exact');
    expect([letter.status, letter.text]).toEqual([404, expect.stringContaining('at least 4 characters')]);
  });

  it('names the ids that begin alike, and refuses what names nothing', async () => {
    const runs = [await caller.create(trivial), await caller.create(trivial)];
    const alike = await resolve(runs[0]!.id.slice(0, 2));
    expect([alike.status, alike.text]).toEqual([400, expect.stringContaining('Give more of the id')]);
    expect(alike.text).toMatch(/01[0-9A-Z]{24}, 01[0-9A-Z]{24}/);
    expect((await resolve('no-such-workflow')).status).toBe(404);
    expect((await resolve(runs[0]!.id.toLowerCase())).status).toBe(404);
    for (const blank of ['', '  ']) expect((await resolve(blank)).status).toBe(400);
    expect((await caller.send('GET', `${RUNS}/resolve`)).status).toBe(400);
    const stranger = await server.stranger();
    expect((await stranger.send('GET', `${RUNS}/resolve?selector=${runs[0]!.id}`)).status).toBe(404);
  });
});
