import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEFAULT_TENANT, newUlid } from '#libs/kernel';
import { ApiCaller, workflow } from '../support/api-caller.js';
import { operationsOf, type DescribedOperation } from '../support/operations.js';
import { testServer, type TestServer } from '../support/server.js';

/** The least role for every operation, said here once more: by hand, and not from the table of the server. */
const VIEWER = [
  ...['listRuns', 'resolveRun', 'retrieveRun', 'retrieveRunGraph', 'retrieveRunGraphSource', 'retrieveRunBilling'],
  ...['retrieveRunSettings', 'listRunStages', 'listRunEvents', 'attachRunEvents', 'attachEvents', 'listRunQuestions'],
  ...['getRunTimeline', 'getRunState', 'retrieveRunCheckpoint', 'validateRunManifest', 'renderWorkflowGraph'],
  ...['getSystemInfo', 'getSystemResources', 'checkSystem', 'getSystemDiskUsage', 'getSystemRepairRuns', 'getMetrics'],
];
const OPERATOR = [
  ...['createRun', 'startRun', 'approveRun', 'denyRun', 'cancelRun', 'pauseRun', 'unpauseRun', 'retryRun', 'forkRun'],
  ...['updateRun', 'linkRunParent', 'unlinkRunParent', 'archiveRun', 'unarchiveRun', 'batchArchiveRuns'],
  ...['batchUnarchiveRuns', 'submitRunAnswer', 'runPreflight'],
];
const EDITOR = ['rewindRun', 'deleteRun', 'batchDeleteRuns', 'pruneRuns'];
const EVERYBODY = ['getRoot', 'getHealth', 'getApiHealth', 'getOpenApiSpec', 'getReadiness'];

const MAY: Readonly<Record<string, readonly string[]>> = {
  viewer: VIEWER,
  operator: [...VIEWER, ...OPERATOR],
  editor: [...VIEWER, ...OPERATOR, ...EDITOR],
  admin: [...VIEWER, ...OPERATOR, ...EDITOR],
};

let server: TestServer;
let operations: DescribedOperation[];
let guarded: DescribedOperation[];
beforeAll(async () => {
  server = await testServer({ worker: false });
  operations = await operationsOf(server.caller);
  guarded = operations.filter(({ isPublic }) => !isPublic);
});
afterAll(() => server.close());

async function somebody(role: 'viewer' | 'operator' | 'editor' | 'admin'): Promise<string> {
  const token = `service_dev_${randomBytes(32).toString('hex')}`;
  const identity = { issuer: 'service:dev', subject: role };
  const principal = { kind: 'user', identity, login: role, auth_method: 'dev_token' } as const;
  const sha256 = createHash('sha256').update(token).digest('hex');
  await server.platform.tokens.add(sha256, { tenantId: DEFAULT_TENANT, role, principal });
  return token;
}

/** The status of an operation on a run that is there, for a sender of these headers; what follows may be a stream. */
async function statusOf(
  { method, path }: DescribedOperation,
  id: string,
  headers: Record<string, string>,
): Promise<number> {
  const url = `${server.url}${path.replace('{id}', id).replace('{qid}', newUlid(Date.now()))}`;
  const response = await fetch(url, { method, headers });
  await response.body?.cancel();
  return response.status;
}

describe('every operation', () => {
  it('has a least role, or is for everybody', () => {
    const known = [...VIEWER, ...OPERATOR, ...EDITOR].toSorted();
    expect(guarded.map(({ operationId }) => operationId).toSorted()).toEqual(known);
    const open = operations.filter(({ isPublic }) => isPublic).map(({ operationId }) => operationId);
    expect(open.toSorted()).toEqual(EVERYBODY.toSorted());
  });

  it.each(['viewer', 'operator', 'editor', 'admin'] as const)(
    'is refused to a %s beyond its role, and only then',
    async (role) => {
      const authorization = `Bearer ${await somebody(role)}`;
      const { id } = await server.caller.create(workflow('start -> exit'));
      const refused: string[] = [];
      for (const operation of guarded) {
        const status = await statusOf(operation, id, { authorization });
        expect([operation.operationId, status]).not.toEqual([operation.operationId, 401]);
        if (status === 403) refused.push(operation.operationId);
      }
      const beyond = guarded.map(({ operationId }) => operationId).filter((one) => !MAY[role]!.includes(one));
      expect(refused.toSorted()).toEqual(beyond.toSorted());
    },
  );

  it.each<[string, Record<string, string>]>([
    ['nobody', {}],
    ['an unknown token', { authorization: `Bearer service_dev_${randomBytes(32).toString('hex')}` }],
    ['a token in the wrong place', { 'x-authorization': 'Bearer x', cookie: '__service_session=x' }],
    ['a password', { authorization: 'Basic YWRtaW46YWRtaW4=' }],
    ['a demo header', { 'x-service-demo': '1' }],
  ])('is refused to %s', async (_, headers) => {
    const { id } = await server.caller.create(workflow('start -> exit'));
    for (const operation of guarded) {
      expect([operation.operationId, await statusOf(operation, id, headers)]).toEqual([operation.operationId, 401]);
    }
    expect((await new ApiCaller(server.url, server.caller.token, '/').get(id)).id).toBe(id);
  });

  it('takes no token from its address', async () => {
    const { id } = await server.caller.create(workflow('start -> exit'));
    const { token } = server.caller;
    for (const query of [`token=${token}`, `access_token=${token}`, `authorization=Bearer%20${token}`]) {
      expect((await fetch(`${server.url}/api/v1/runs/${id}?${query}`)).status).toBe(401);
    }
  });
});
