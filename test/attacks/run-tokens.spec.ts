import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newUlid } from '#libs/kernel';
import { type ApiCaller, command, workflow, type Run } from '../support/api-caller.js';
import { faultsIn } from '../support/checker.js';
import { operationsOf, type DescribedOperation } from '../support/operations.js';
import { testServer, type TestServer } from '../support/server.js';

const RUNS = '/api/v1/runs';
const trivial = workflow('start -> exit');
const gate = workflow('ask [shape=hexagon, label="Ship?"] start -> ask ask -> exit [label="[Y] Yes"]');
const failing = workflow(`${command('a', 'true')} ${command('last', 'false')}
  start -> a a -> last a -> exit [condition="outcome=failed"]`);

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

const kindOf = async (id: string): Promise<string> => (await person.get(id)).lifecycle.status.kind;

/** The status alone: what follows may be a stream. */
async function statusOf({ url, token }: ApiCaller, method: string, path: string, body?: unknown): Promise<number> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await response.body?.cancel();
  return response.status;
}

/** A run, a child that it made, and somebody else's run, each with a caller that has its token. */
interface Family {
  parent: Run;
  child: Run;
  stranger: Run;
  parentsToken: ApiCaller;
  childsToken: ApiCaller;
  strangersToken: ApiCaller;
}

async function family(source = trivial): Promise<Family> {
  const [parent, stranger] = [await person.create(trivial), await person.create(trivial)];
  const parentsToken = await server.speakerOf(parent.id);
  const child = await parentsToken.create(source);
  const holders = {
    parentsToken,
    childsToken: await server.speakerOf(child.id),
    strangersToken: await server.speakerOf(stranger.id),
  };
  return { parent, child, stranger, ...holders };
}

describe("a run's token, where its own commands work on the machine of the server", () => {
  it('submits a run that works there too', async () => {
    const token = await server.speakerOf((await person.create(trivial)).id);
    expect((await token.send('POST', RUNS, { body: token.manifest(trivial) })).status).toBe(201);
  });
});

describe("V3: a run's token makes children, whatever it says", () => {
  it('has its run as their parent, without naming it', async () => {
    const { parent, child } = await family();
    expect(child).toMatchObject({ parent_id: parent.id, created_by: { kind: 'worker', run_id: parent.id } });
  });

  it.each<[string, (of: Family) => string | null, number]>([
    ['its own run', ({ parent }) => parent.id, 201],
    ['null', () => null, 201],
    ["a person's run", ({ stranger }) => stranger.id, 403],
    ['its own child', ({ child }) => child.id, 403],
    ['a run that is not there', () => newUlid(Date.now()), 403],
  ])('with %s as parent', async (_, parentOf, status) => {
    const made = await family();
    const body = person.manifest(trivial, { parent_id: parentOf(made) });
    const answer = await made.parentsToken.send<Run>('POST', RUNS, { body });
    expect(answer.status).toBe(status);
    if (status === 201) expect(answer.body.parent_id).toBe(made.parent.id);
  });

  it('cannot take them away, or to another parent; a person can', async () => {
    const { parent, child, stranger, parentsToken, childsToken } = await family();
    for (const holder of [parentsToken, childsToken]) {
      expect(await statusOf(holder, 'DELETE', `${RUNS}/${child.id}/parent`)).toBe(403);
      expect(await statusOf(holder, 'PUT', `${RUNS}/${child.id}/parent`, { parent_id: stranger.id })).toBe(403);
    }
    expect((await person.get(child.id)).parent_id).toBe(parent.id);
    expect(await statusOf(person, 'DELETE', `${RUNS}/${child.id}/parent`)).toBe(200);
    expect(await statusOf(parentsToken, 'POST', `${RUNS}/${child.id}/start`)).toBe(403);
  });
});

describe("V3: whatever a run's token starts waits for a person", () => {
  const starts = (by: ApiCaller, id: string, body = {}) => by.send<Run>('POST', `${RUNS}/${id}/start`, { body });

  it('its child, and the child of that; a person starts both at once', async () => {
    const { parent, child, parentsToken, childsToken } = await family();
    const grandchild = await childsToken.create(trivial);
    expect(grandchild.parent_id).toBe(child.id);
    for (const { id } of [grandchild, child]) {
      expect((await starts(parentsToken, id)).body.lifecycle.status.kind).toBe('pending');
    }
    expect(await statusOf(person, 'POST', `${RUNS}/${grandchild.id}/approve`)).toBe(200);
    await person.ends(grandchild.id);
    const another = await (await server.speakerOf(parent.id)).create(trivial);
    expect((await starts(person, another.id)).status).toBe(200);
    expect((await person.ends(another.id)).lifecycle).toMatchObject({ status: { kind: 'succeeded' }, approval: null });
  });

  it('a failed one that is to go on, which then goes on from its checkpoint, or ends as it was', async () => {
    const { child, parentsToken } = await family(failing);
    await person.start(child.id);
    expect((await person.ends(child.id)).lifecycle.status.kind).toBe('failed');
    expect((await starts(parentsToken, child.id, { resume: true })).body.lifecycle.status.kind).toBe('pending');
    expect(await statusOf(person, 'POST', `${RUNS}/${child.id}/deny`)).toBe(200);
    expect((await person.get(child.id)).lifecycle.status).toEqual({ kind: 'failed', reason: 'approval_denied' });
    expect((await starts(parentsToken, child.id, { resume: true })).body.lifecycle.status.kind).toBe('pending');
    expect(await statusOf(parentsToken, 'POST', `${RUNS}/${child.id}/approve`)).toBe(403);
    expect(await statusOf(person, 'POST', `${RUNS}/${child.id}/approve`)).toBe(200);
    await person.ends(child.id);
    const commands = (await person.events(child.id)).filter(({ event }) => event === 'command.started');
    expect(commands.map(({ stage_id }) => stage_id)).toEqual(['a@1', 'last@1', 'last@2']);
  });

  it('and it makes no run by retry, fork or rewind; what a person makes so of a child is as the person wants it', async () => {
    const { parent, child, parentsToken } = await family(failing);
    await person.start(child.id);
    await person.ends(child.id);
    for (const verb of ['retry', 'fork', 'rewind']) {
      expect([verb, await statusOf(parentsToken, 'POST', `${RUNS}/${child.id}/${verb}`)]).toEqual([verb, 403]);
    }
    const retried = (await person.send<Run>('POST', `${RUNS}/${child.id}/retry`)).body;
    expect(retried).toMatchObject({ parent_id: parent.id, created_by: { kind: 'user' } });
    expect((await person.ends(retried.id)).lifecycle.approval).toBeNull();
    expect(await statusOf(parentsToken, 'GET', `${RUNS}/${retried.id}`)).toBe(200);
    const { new_run_id } = (await person.send<{ new_run_id: string }>('POST', `${RUNS}/${child.id}/fork`)).body;
    expect((await person.get(new_run_id)).parent_id).toBeNull();
    expect(await statusOf(parentsToken, 'POST', `${RUNS}/${new_run_id}/start`)).toBe(403);
  });
});

describe("V3: a run's token answers nobody's questions", () => {
  it('neither those of its own run, nor of its child, nor of a person; a person does', async () => {
    const { id } = await person.begin(gate);
    const [question] = await person.asks(id);
    const answer = { kind: 'selected', option_key: 'Y' } as const;
    const path = `${RUNS}/${id}/questions/${question!.id}/answer`;
    const { strangersToken } = await family();
    const [own, parent] = [await server.speakerOf(id), await person.create(trivial)];
    await person.send('PUT', `${RUNS}/${id}/parent`, { body: { parent_id: parent.id } });
    const parentsToken = await server.speakerOf(parent.id);
    for (const holder of [own, parentsToken, strangersToken]) {
      const { status, text } = await holder.send('POST', path, { body: answer });
      expect([status, text]).toEqual([403, expect.stringContaining('needs the token of a person')]);
    }
    for (const holder of [own, parentsToken]) expect(await holder.questions(id)).toHaveLength(1);
    await person.answer(id, question!.id, answer);
    expect((await person.ends(id)).lifecycle.status.kind).toBe('succeeded');
  });
});

describe("V3: a run's token sees and finds its own line alone", () => {
  const listed = async (by: ApiCaller, query = ''): Promise<string[] | number> => {
    const { status, body } = await by.send<{ data: Run[] }>('GET', `${RUNS}?limit=100&${query}`);
    return status === 200 ? body.data.map(({ id }) => id).toSorted() : status;
  };

  it('in lists, one generation at a time', async () => {
    const { parent, child, stranger, parentsToken, childsToken } = await family();
    const grandchild = await childsToken.create(trivial);
    expect(await listed(parentsToken)).toEqual([child.id]);
    expect(await listed(parentsToken, `parent_id=${parent.id}`)).toEqual([child.id]);
    expect(await listed(parentsToken, `parent_id=${child.id}`)).toEqual([grandchild.id]);
    expect(await listed(childsToken, `parent_id=${parent.id}`)).toBe(403);
    expect(await listed(parentsToken, `parent_id=${stranger.id}`)).toBe(403);
    expect(await listed(parentsToken, `parent_id=${newUlid(Date.now())}`)).toBe(403);
    expect(await listed(person)).toEqual(expect.arrayContaining([parent.id, child.id, grandchild.id, stranger.id]));
  });

  it('by the beginning of an id or by a workflow, with no word about others', async () => {
    const { parent, child, stranger, parentsToken, childsToken, strangersToken } = await family();
    const finds = async (by: ApiCaller, selector: string) => {
      const { status, body } = await by.send<Run>('GET', `${RUNS}/resolve?selector=${selector}`);
      return status === 200 ? body.id : status;
    };
    expect(await finds(parentsToken, child.id)).toBe(child.id);
    expect(await finds(parentsToken, 'spec')).toBe(child.id);
    expect(await finds(childsToken, child.id.slice(0, 12))).toBe(child.id);
    expect(await finds(strangersToken, stranger.id.slice(0, 1))).toBe(stranger.id);
    for (const foreign of [stranger.id, newUlid(Date.now())]) expect(await finds(parentsToken, foreign)).toBe(404);
    expect(await finds(childsToken, parent.id)).toBe(404);
    expect(await finds(person, stranger.id)).toBe(stranger.id);
  });

  it('and is told the same of a run that is not its own and of one that is not there', async () => {
    const { stranger, parentsToken } = await family();
    const answers = await Promise.all(
      [stranger.id, newUlid(Date.now())].map((id) => parentsToken.send('GET', `${RUNS}/${id}`)),
    );
    const texts = answers.map(({ text, headers }) => text.replaceAll(headers.get('x-request-id')!, '(request)'));
    expect(texts[0]).toBe(texts[1]);
  });
});

/** What each token may do with a run, said here once more: by hand, and not from the table of the server. */
const READS = ['retrieveRun', 'getRunState', 'listRunEvents', 'listRunQuestions'];
const CONTROLS = ['startRun', 'cancelRun', 'archiveRun', 'unarchiveRun'];
const CONFINED = ['createRun', 'listRuns', 'resolveRun'];

describe("V3: every operation, with every run's token", () => {
  let operations: DescribedOperation[];
  let made: Family;
  beforeAll(async () => {
    operations = await operationsOf(person);
  });
  beforeEach(async () => {
    made = await family();
  });

  /** The statuses of all operations, each on a fresh child where the last one may have ended it. */
  async function verdicts(by: (of: Family) => ApiCaller): Promise<Record<string, 'open' | 401 | 403>> {
    const verdicts: Record<string, 'open' | 401 | 403> = {};
    for (const { operationId, method, path } of operations) {
      const of = CONTROLS.includes(operationId) ? await family() : made;
      const url = path.replace('{id}', of.child.id).replace('{qid}', newUlid(Date.now()));
      const query = operationId === 'resolveRun' ? `?selector=${of.child.id}` : '';
      const body = operationId === 'createRun' ? person.manifest(trivial) : undefined;
      const status = await statusOf(by(of), method, `${url}${query}`, body);
      expect([operationId, status]).not.toEqual([operationId, 500]);
      verdicts[operationId] = status === 401 || status === 403 ? status : 'open';
    }
    return verdicts;
  }

  function expected(open: readonly string[], otherwise: 401 | 403): Record<string, 'open' | 401 | 403> {
    return Object.fromEntries(
      operations.map(({ operationId, isPublic }) => [
        operationId,
        isPublic || open.includes(operationId) ? 'open' : otherwise,
      ]),
    );
  }

  it('that of the run itself reads it', async () => {
    expect(await verdicts(({ childsToken }) => childsToken)).toEqual(expected([...READS, ...CONFINED], 403));
  });

  it('that of its parent reads and controls it', async () => {
    const open = [...READS, ...CONTROLS, ...CONFINED];
    expect(await verdicts(({ parentsToken }) => parentsToken)).toEqual(expected(open, 403));
  });

  it('that of a stranger does nothing with it', async () => {
    expect(await verdicts(({ strangersToken }) => strangersToken)).toEqual(expected(CONFINED, 403));
    expect(await kindOf(made.child.id)).toBe('submitted');
  });

  it('none is good for anything when its run is over, at once', async () => {
    const before = await statusOf(made.parentsToken, 'GET', `${RUNS}/${made.child.id}`);
    await person.cancel(made.parent.id);
    const of = made;
    expect([before, await verdicts(() => of.parentsToken)]).toEqual([200, expected([], 401)]);
  });

  it('a person may do all of it', async () => {
    const denied = Object.entries(await verdicts(() => person)).filter(([, verdict]) => verdict !== 'open');
    expect(denied).toEqual([]);
  });
});

describe("V3: a run's token makes a bounded number of runs", () => {
  const MOST = 3;
  let small: TestServer;
  beforeAll(async () => {
    small = await testServer({ worker: false, maxChildrenPerRun: MOST });
  });
  afterAll(() => small.close());

  it('is told by name that there are enough; a repeat of what it made, its children and people are not', async () => {
    const parent = await small.caller.create(trivial);
    const own = await small.speakerOf(parent.id);
    const run_id = newUlid(Date.now());
    const first = await own.create(trivial, { run_id });
    for (let more = 1; more < MOST; more++) await own.create(trivial);
    const create = (speaker: ApiCaller, changes = {}) =>
      speaker.send<{ id: string; errors?: { code: string; detail: string }[] }>('POST', RUNS, {
        body: speaker.manifest(trivial, changes),
      });
    const { status, body } = await create(own);
    expect([status, body.errors?.[0]?.code]).toEqual([409, 'too_many_children']);
    expect(body.errors?.[0]?.detail).toContain(
      `Run ${parent.id} has 3 children, and a run makes no more. Let children`,
    );

    const repeated = await create(own, { run_id });
    expect([repeated.status, repeated.body.id]).toEqual([201, first.id]);
    expect((await create(await small.speakerOf(first.id))).status).toBe(201);
    expect((await create(small.caller, { parent_id: parent.id })).status).toBe(201);
  });
});
