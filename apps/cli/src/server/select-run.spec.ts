import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRunyardClient, type RunyardClient } from '#libs/api-client';
import { FakeServer, json, problem } from '../../../../test/support/cli/fake-server.js';
import { aRun, RUN_ID } from '../../../../test/support/cli/samples.js';
import { exitCodes } from './exit-code.js';
import { faultOf } from './fault.js';
import { selectRun, selectRuns, selectShownRun } from './select-run.js';

const RESOLVE = 'GET /api/v1/runs/resolve';

let server: FakeServer;
let client: RunyardClient;
beforeEach(async () => {
  server = await FakeServer.listen();
  client = createRunyardClient({ server: server.url });
});
afterEach(async () => {
  await client.close();
  await server.close();
});

describe('selectRun', () => {
  it('takes a whole id as it is, in either case, and asks nobody', async () => {
    expect(await selectRun(client, RUN_ID.toLowerCase())).toBe(RUN_ID);
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['01k2zp', '01K2ZP'],
    ['01K2', '01K2'],
    ['review', 'review'],
    ['Ship-It', 'Ship-It'],
    ['2fa', '2FA'],
  ])('lets the server find %s as %s', async (typed, asked) => {
    server.on(RESOLVE, json(200, aRun()));
    expect(await selectRun(client, typed)).toBe(RUN_ID);
    expect(server.requests[0]?.query).toBe(`?selector=${asked}&match=exact`);
  });

  it('is content with a part of a name where a run is only shown', async () => {
    server.on(RESOLVE, json(200, aRun()));
    expect(await selectShownRun(client, 'rev')).toBe(RUN_ID);
    expect(server.requests[0]?.query).toBe('?selector=rev&match=unique');
  });

  it('takes @last for the newest, archived or not', async () => {
    server.on('GET /api/v1/runs', json(200, { data: [aRun()], meta: { has_more: true, total: 2 } }));
    expect(await selectRun(client, '@last')).toBe(RUN_ID);
    expect(server.requests[0]?.query).toBe('?limit=1&include_archived=true');
  });

  it.each([
    ['an ambiguous beginning', '01K2', problem(400, 'It is the beginning of several.'), 'several'],
    ['something unknown', 'nope', problem(404, 'No run has that.'), 'No run has that'],
  ])('tells %s as wrong use', async (_, typed, answer, message) => {
    server.on(RESOLVE, answer);
    const refusal = await selectRun(client, typed).catch((thrown: unknown) => faultOf(thrown));
    expect(refusal).toMatchObject({ exitCode: exitCodes.misuse, message: expect.stringContaining(message) });
  });

  it('says so before the first run', async () => {
    server.on('GET /api/v1/runs', json(200, { data: [], meta: { has_more: false, total: 0 } }));
    await expect(selectRun(client, '@last')).rejects.toMatchObject({ exitCode: exitCodes.misuse });
  });
});

it('selects several runs, each once', async () => {
  server.on(RESOLVE, json(200, aRun()));
  expect(await selectRuns(client, [RUN_ID, 'review'])).toEqual([RUN_ID]);
});
