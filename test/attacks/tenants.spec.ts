import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newUlid } from '#libs/kernel';
import { workflow, type ApiCaller, type Run } from '../support/api-caller.js';
import { operationsOf, type DescribedOperation } from '../support/operations.js';
import { testServer, type TestServer } from '../support/server.js';

const RUNS = '/api/v1/runs';
const gate = workflow('ask [shape=hexagon, label="Ship?"] start -> ask ask -> exit [label="[Y] Yes"]');
const trivial = workflow('start -> exit');

/** Bodies where an operation on one run needs one; each is good for a run of one's own. */
const BODIES: Readonly<Record<string, (own: string) => unknown>> = {
  updateRun: () => ({ title: 'Mine now' }),
  linkRunParent: (own) => ({ parent_id: own }),
  submitRunAnswer: () => ({ kind: 'selected', option_key: 'Y' }),
};

let server: TestServer;
let owner: ApiCaller;
let stranger: ApiCaller;
let operations: DescribedOperation[];
/** The owner's run, which asks something, with its question; and the stranger's own run. */
let id: string;
let question: string;
let own: string;
beforeAll(async () => {
  server = await testServer();
  [owner, stranger] = [server.caller, await server.stranger()];
  operations = await operationsOf(owner);
  ({ id } = await owner.begin(gate));
  question = (await owner.asks(id))[0]!.id;
  await owner.logs(id, 'run.parked');
  own = (await stranger.create(trivial)).id;
});
afterAll(() => server.close());

const onOneRun = (): DescribedOperation[] => operations.filter(({ path }) => path.includes('{id}'));

/** What the stranger is told, without what differs from request to request; `of` stands for the run that is named. */
async function told({ operationId, method, path }: DescribedOperation, of: string): Promise<unknown> {
  const url = path.replace('{id}', of).replace('{qid}', question);
  const body = BODIES[operationId]?.(own);
  const { status, headers, text } = await stranger.send(method, url, body === undefined ? {} : { body });
  const same = (said: string): string =>
    said.replaceAll(headers.get('x-request-id')!, '(request)').replaceAll(of, '(run)');
  const kept = [...headers].filter(([name]) => name !== 'date').map(([name, value]) => `${name}: ${same(value)}`);
  return { status, headers: kept, text: same(text) };
}

describe("another tenant's run", () => {
  it('is told of byte for byte like one that is not there, by every operation on a run', async () => {
    const before = await owner.events(id);
    expect(onOneRun().length).toBeGreaterThan(25);
    for (const operation of onOneRun()) {
      const theirs = await told(operation, id);
      expect([operation.operationId, theirs]).toEqual([
        operation.operationId,
        await told(operation, newUlid(Date.now())),
      ]);
      // A removal says the same of what was never there.
      const status = operation.operationId === 'deleteRun' ? 204 : 404;
      expect([operation.operationId, theirs]).toEqual([operation.operationId, expect.objectContaining({ status })]);
    }
    expect(await owner.events(id)).toEqual(before);
  });

  it('is in no list, batch, selector or parent', async () => {
    const listed = async (query: string) => (await stranger.send<{ data: Run[] }>('GET', `${RUNS}?${query}`)).body.data;
    expect((await listed('limit=100')).map((run) => run.id)).not.toContain(id);
    expect(await listed(`parent_id=${id}`)).toEqual([]);
    for (const selector of [id, id.slice(0, 20)]) {
      expect((await stranger.send('GET', `${RUNS}/resolve?selector=${selector}`)).status).toBe(404);
    }
    for (const verb of ['archive', 'unarchive', 'delete']) {
      const of = async (run: string) => {
        const { body } = await stranger.send<{ results: { outcome: string }[] }>('POST', `${RUNS}/${verb}`, {
          body: { run_ids: [run] },
        });
        return JSON.stringify(body).replaceAll(run, '(run)');
      };
      expect([verb, await of(id)]).toEqual([verb, await of(newUlid(Date.now()))]);
    }
    for (const parent of [id, newUlid(Date.now())]) {
      const body = stranger.manifest(trivial, { parent_id: parent });
      expect((await stranger.send('POST', RUNS, { body })).status).toBe(404);
      expect((await stranger.send('PUT', `${RUNS}/${own}/parent`, { body: { parent_id: parent } })).status).toBe(404);
    }
    expect(await owner.questions(id)).toHaveLength(1);
  });

  it('does not keep its id from others: each tenant has its own run of it', async () => {
    const twin = await stranger.create(trivial, { run_id: id, title: 'Twin' });
    expect([twin.id, twin.title]).toEqual([id, 'Twin']);
    expect((await owner.get(id)).lifecycle.status.kind).toBe('blocked');
    expect(await stranger.events(id)).toHaveLength(2);
    expect((await stranger.send('DELETE', `${RUNS}/${id}`)).status).toBe(409);
    expect((await stranger.send('DELETE', `${RUNS}/${id}?force=true`)).status).toBe(204);
    expect((await owner.get(id)).lifecycle.status.kind).toBe('blocked');
  });

  it('is all there for its own tenant', async () => {
    for (const operation of onOneRun().filter(({ method }) => method === 'GET')) {
      if (operation.operationId === 'attachRunEvents') continue;
      const { status } = await owner.send('GET', operation.path.replace('{id}', id));
      expect([operation.operationId, status]).toEqual([operation.operationId, 200]);
    }
    await owner.answer(id, question, { kind: 'selected', option_key: 'Y' });
    expect((await owner.ends(id)).lifecycle.status.kind).toBe('succeeded');
  });
});
