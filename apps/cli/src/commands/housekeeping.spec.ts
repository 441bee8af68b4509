import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../../../../test/support/cli/command-line.js';
import { type FakeServer, json, problem } from '../../../../test/support/cli/fake-server.js';
import { aRun, RUN_ID } from '../../../../test/support/cli/samples.js';

const OTHER_ID = '01K2ZP6Q8V9Y3T5N7M1R4S6X8C';
const RUN = `/api/v1/runs/${RUN_ID}`;
const error = { status: '409', title: 'Conflict', detail: 'It is running.' };

let line: CommandLine;
let server: FakeServer;

beforeEach(async () => {
  line = await CommandLine.open();
  ({ server } = line);
});
afterEach(() => line.close());

function type(...words: string[]): Promise<number> {
  return line.type(words);
}

const asked = () => server.requests.map(({ call, body }) => [call, body === '' ? null : (JSON.parse(body) as unknown)]);

/** What a batch of two says. */
function batch(first: string, refusesSecond: boolean) {
  const second = refusesSecond ? { ok: false, outcome: 'conflict', error } : { ok: true, outcome: first };
  const results = [
    { run_id: RUN_ID, ok: true, outcome: first },
    { run_id: OTHER_ID, ...second },
  ];
  return { results, summary: { requested: 2, succeeded: refusesSecond ? 1 : 2, failed: refusesSecond ? 1 : 0 } };
}

describe.each([
  ['archive', 'already_archived', 'already archived'],
  ['unarchive', 'not_archived', 'not archived'],
])('%s', (command, outcome, words) => {
  it('sends all runs at once and says what became of each', async () => {
    server.on(`POST /api/v1/runs/${command}`, json(200, batch(outcome, false)));
    expect(await type(command, RUN_ID, OTHER_ID, RUN_ID)).toBe(0);
    expect(asked()).toEqual([[`POST /api/v1/runs/${command}`, { run_ids: [RUN_ID, OTHER_ID] }]]);
    expect(line.screen.written).toEqual({ stdout: `${RUN_ID}  ${words}\n${OTHER_ID}  ${words}\n`, stderr: '' });
  });

  it('ends with 1 when a run was refused, and says why', async () => {
    server.on(`POST /api/v1/runs/${command}`, json(200, batch(outcome, true)));
    expect(await type(command, RUN_ID, OTHER_ID)).toBe(1);
    expect(line.screen.written).toEqual({ stdout: `${RUN_ID}  ${words}\n`, stderr: 'It is running.\n' });
    line.clear();
    expect(await type(command, RUN_ID, OTHER_ID, '--json')).toBe(1);
    expect(JSON.parse(line.screen.written.stdout)).toEqual(batch(outcome, true));
  });
});

describe('archive --older-than', () => {
  const over = (id: string, hoursAgo: number) => {
    const run = aRun(id, { kind: 'succeeded', reason: 'completed' });
    run.timestamps.completed_at = new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
    return run;
  };

  it('archives every run that has been over for so long', async () => {
    const runs = { data: [over(OTHER_ID, 23), over(RUN_ID, 25)], meta: { has_more: false, total: 2 } };
    const results = [{ run_id: RUN_ID, ok: true, outcome: 'archived' }];
    server
      .on('GET /api/v1/runs', json(200, runs))
      .on('POST /api/v1/runs/archive', json(200, { results, summary: { requested: 1, succeeded: 1, failed: 0 } }));
    expect(await type('archive', '--older-than', '1d')).toBe(2);
    expect(line.screen.written.stderr).toMatch(new RegExp(`archives 1 run:\n  ${RUN_ID}  review  succeeded\n.*--yes`));
    expect(server.requests.map(({ query }) => query)).toEqual([
      '?limit=100&include_archived=false&status=succeeded&status=failed',
    ]);
    expect(await type('archive', '--older-than', '1d', '--yes')).toBe(0);
    expect(asked().slice(2)).toEqual([['POST /api/v1/runs/archive', { run_ids: [RUN_ID] }]]);
    expect(line.screen.written.stdout).toBe(`${RUN_ID}  archived\n`);
  });

  it('asks nothing of the server where no run is old enough', async () => {
    server.on('GET /api/v1/runs', json(200, { data: [over(RUN_ID, 1)], meta: { has_more: false, total: 1 } }));
    expect(await type('archive', '--older-than', '90m')).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it.each([['archive'], ['archive', RUN_ID, '--older-than', '1d'], ['archive', '--older-than', 'soon']])(
    '%s %s is wrong use',
    async (...words) => {
      expect(await type(...words)).toBe(2);
      expect(server.requests).toEqual([]);
    },
  );
});

it('unarchive takes the flags of archive, for runs that are archived', async () => {
  const over = { kind: 'failed', reason: 'workflow_error' } as const;
  const data = [aRun(RUN_ID, over), aRun(OTHER_ID, { kind: 'succeeded', reason: 'completed' })].map((run) => ({
    ...run,
    lifecycle: { ...run.lifecycle, archived: true },
  }));
  server
    .on('GET /api/v1/runs', json(200, { data, meta: { has_more: false, total: 2 } }))
    .on('POST /api/v1/runs/unarchive', json(200, batch('unarchived', false)));
  expect(await type('unarchive', '--status', 'failed')).toBe(2);
  expect(line.screen.written.stderr).toContain(`This brings back 1 run:\n  ${RUN_ID}  review  failed (archived)`);
  expect(server.requests[0]?.query).toBe('?limit=100&include_archived=false&status=archived');
  expect(await type('unarchive', '--status', 'failed', '--yes')).toBe(0);
  expect(asked().at(-1)).toEqual(['POST /api/v1/runs/unarchive', { run_ids: [RUN_ID] }]);
});

describe('rm', () => {
  const failed = (id: string, team: string) => ({
    ...aRun(id, { kind: 'failed', reason: 'workflow_error' }),
    labels: { team },
  });
  const chosen = ['rm', '--status', 'failed', '--label', 'team=web'];

  beforeEach(() => {
    const cancelled = { ...aRun(OTHER_ID, { kind: 'failed', reason: 'cancelled' }), labels: { team: 'web' } };
    const data = [failed(RUN_ID, 'web'), failed(OTHER_ID, 'app'), cancelled];
    server
      .on('GET /api/v1/runs', json(200, { data, meta: { has_more: false, total: 3 } }))
      .on('POST /api/v1/runs/delete', json(200, batch('deleted', false)));
  });

  it.each([
    [['yes'], [[RUN_ID]]],
    [['y'], []],
    [[], []],
  ])('shows what flags choose and asks a person, who types %j', async (lines, removed) => {
    expect(await line.type(chosen, { lines })).toBe(0);
    expect(line.screen.written.stderr).toContain(`removes 1 run for good, with events and outputs:\n  ${RUN_ID}`);
    const bodies = asked().slice(1) as [string, { run_ids: string[] }][];
    expect(bodies.map(([, { run_ids }]) => run_ids)).toEqual(removed);
  });

  it('takes names or flags, not both, and counts where there are many', async () => {
    expect(await type(...chosen, RUN_ID)).toBe(2);
    expect(await type('rm')).toBe(2);
    expect(server.requests).toEqual([]);
    const results = Array.from({ length: 21 }, () => ({ run_id: RUN_ID, ok: true, outcome: 'deleted' }));
    const summary = { requested: 21, succeeded: 21, failed: 0 };
    server.on('POST /api/v1/runs/delete', json(200, { results, summary }));
    expect(await type(...chosen, '--yes')).toBe(0);
    expect(line.screen.written.stdout).toBe('21 runs deleted\n');
  });

  it('removes nothing before it is told so, and names what it would remove', async () => {
    expect(await type('rm', RUN_ID, OTHER_ID)).toBe(2);
    expect(server.requests).toEqual([]);
    expect(line.screen.written.stderr).toMatch(new RegExp(`2 runs.*\n  ${RUN_ID}\n  ${OTHER_ID}\n.*--yes`));
  });

  it('removes runs, active ones by force', async () => {
    server.on('POST /api/v1/runs/delete', json(200, batch('deleted', true)));
    expect(await type('rm', RUN_ID, OTHER_ID, '--yes')).toBe(1);
    server.on('POST /api/v1/runs/delete', json(200, batch('deleted', false)));
    expect(await type('rm', RUN_ID, OTHER_ID, '--yes', '-f')).toBe(0);
    const run_ids = [RUN_ID, OTHER_ID];
    expect(asked()).toEqual([
      ['POST /api/v1/runs/delete', { run_ids, force: false }],
      ['POST /api/v1/runs/delete', { run_ids, force: true }],
    ]);
  });
});

it('rename sends the title and shows the one that the server keeps', async () => {
  server.on(`PATCH ${RUN}`, json(200, { ...aRun(), title: 'New' }));
  expect(await type('rename', RUN_ID, ' New ')).toBe(0);
  expect(asked()).toEqual([[`PATCH ${RUN}`, { title: ' New ' }]]);
  expect(line.screen.written.stdout).toBe(`${RUN_ID}  New\n`);
  server.on(`PATCH ${RUN}`, problem(400, 'title must not be blank.'));
  expect(await type('rename', RUN_ID, '')).toBe(2);
});

it('parent links and unlinks', async () => {
  server
    .on(`PUT ${RUN}/parent`, json(200, { ...aRun(), parent_id: OTHER_ID }))
    .on(`DELETE ${RUN}/parent`, json(200, aRun()));
  expect(await type('parent', 'link', RUN_ID, OTHER_ID)).toBe(0);
  expect(await type('parent', 'unlink', RUN_ID)).toBe(0);
  expect(asked()).toEqual([
    [`PUT ${RUN}/parent`, { parent_id: OTHER_ID }],
    [`DELETE ${RUN}/parent`, null],
  ]);
  expect(line.screen.written.stdout).toBe(`${RUN_ID}  child of ${OTHER_ID}\n${RUN_ID}  has no parent\n`);
});

it('retry makes the run and prints its id with -d', async () => {
  server.on(`POST ${RUN}/retry`, json(201, aRun(OTHER_ID)));
  expect(await type('retry', RUN_ID, '-d')).toBe(0);
  expect(line.screen.written.stdout).toBe(`${OTHER_ID}\n`);
  server.on(`POST ${RUN}/retry`, problem(409, 'It is running.'));
  expect(await type('retry', RUN_ID)).toBe(1);
});

it('retry sends the inputs and the model that are to be others', async () => {
  server.on(`POST ${RUN}/retry`, json(201, aRun(OTHER_ID)));
  expect(await type('retry', RUN_ID, '-d', '-I', 'n=2', '--model', 'm')).toBe(0);
  expect(await type('retry', RUN_ID, '-d')).toBe(0);
  expect(asked()).toEqual([
    [`POST ${RUN}/retry`, { edits: { inputs: { n: '2' }, model: 'm' } }],
    [`POST ${RUN}/retry`, {}],
  ]);
});

it('ps lists the children of a run, and marks archived ones', async () => {
  const archived = aRun(OTHER_ID, { kind: 'failed', reason: 'cancelled' });
  archived.lifecycle.archived = true;
  server.on('GET /api/v1/runs', json(200, { data: [archived], meta: { has_more: false, total: 1 } }));
  expect(await type('ps', '-a', '--parent', RUN_ID)).toBe(0);
  expect(server.requests[0]?.query).toContain(`parent_id=${RUN_ID}`);
  expect(line.screen.written.stdout).toContain('cancelled (archived)');
});

it('ps leaves archived runs out when asked to', async () => {
  const none = json(200, { data: [], meta: { has_more: false, total: 0 } });
  server.on('GET /api/v1/runs', none);
  expect(await type('ps', '--status', 'failed', '--unarchived')).toBe(0);
  expect(await type('ps', '-a', '--unarchived')).toBe(0);
  expect(server.requests.map(({ query }) => query)).toEqual([
    '?limit=100&include_archived=false&status=failed',
    '?limit=20&include_archived=false',
  ]);
});
