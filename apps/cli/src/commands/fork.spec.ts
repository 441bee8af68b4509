import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../../../../test/support/cli/command-line.js';
import { type FakeServer, json, problem, stream } from '../../../../test/support/cli/fake-server.js';
import { aLog, aRun, RUN_ID } from '../../../../test/support/cli/samples.js';

const RUN = `/api/v1/runs/${RUN_ID}`;
const NEW_ID = '01K2ZP6Q8VNNNNNNNNNNNNNNNN';
const NEW = `/api/v1/runs/${NEW_ID}`;
const fork = {
  source_run_id: RUN_ID,
  new_run_id: NEW_ID,
  target: '@2',
  next_node_id: 'test',
  kept_stages: ['start@1', 'plan@1'],
  dropped_stages: ['test@1'],
};
const completed = { event: 'run.completed', properties: { reason: 'completed', timing: { wall_time_ms: 9 } } };

let line: CommandLine;
let server: FakeServer;
let folder: string;

beforeEach(async () => {
  line = await CommandLine.open();
  ({ server, home: folder } = line);
  server
    .on(`POST ${RUN}/fork`, json(200, fork))
    .on(`POST ${NEW}/start`, json(200, aRun(NEW_ID, { kind: 'runnable' })))
    .on(`GET ${NEW}`, json(200, aRun(NEW_ID, { kind: 'succeeded', reason: 'completed' })))
    .on(`GET ${NEW}/attach`, stream(aLog(completed)))
    .on(`GET ${NEW}/events`, json(200, { data: aLog(completed), meta: { has_more: false } }));
});
afterEach(() => line.close());

function type(words: string): Promise<number> {
  return line.type(words.split(' '));
}

const sent = (): unknown => JSON.parse(server.requests[0]?.body || 'null');

describe('fork', () => {
  it('sends the changes, prints the id and starts nothing', async () => {
    await writeFile(path.join(folder, 'new.dot'), 'digraph New {}');
    expect(await type(`fork ${RUN_ID} plan@1 --goal Other --model m -I n=007 -I a=b=c --with-source new.dot`)).toBe(0);
    const edits = { goal: 'Other', model: 'm', inputs: { n: '007', a: 'b=c' }, workflow_source: 'digraph New {}' };
    expect(sent()).toEqual({ target: 'plan@1', edits });
    expect(server.requests).toHaveLength(1);
    expect(line.screen.written.stdout).toBe(`${NEW_ID}\n`);
    expect(line.screen.written.stderr).toContain('goes on with test, keeps 2 stages, leaves 1 stage behind');
  });

  it('without changes takes the run as it is, from its latest checkpoint', async () => {
    expect(await type(`fork ${RUN_ID} --json`)).toBe(0);
    expect(sent()).toEqual({});
    expect(line.screen.written).toEqual({ stdout: `${JSON.stringify(fork)}\n`, stderr: '' });
  });

  it('sends nothing when the source cannot be read', async () => {
    expect(await type(`fork ${RUN_ID} --with-source gone.dot`)).toBe(2);
    expect(line.screen.written.stderr).toContain('gone.dot does not exist.');
    expect(await type(`fork ${RUN_ID} --with-source .`)).toBe(2);
    expect(line.screen.written.stderr).toContain('is a folder.');
    expect(server.requests).toEqual([]);
  });

  it('calls a corrected workflow that cannot run by the name that was typed', async () => {
    await writeFile(path.join(folder, 'fixed.dot'), 'digraph New {}');
    const faults = ['flows/review.dot:2:3 error x One.\n  a\n  ^', 'flows/part.dot:1:1 error y Two.'];
    server
      .on(`POST ${RUN}/fork`, problem(400, faults.join('\n')))
      .on(`GET ${RUN}`, json(200, aRun(RUN_ID, { kind: 'failed', reason: 'workflow_error' })));
    for (const command of ['fork', 'rerun']) {
      line.clear();
      expect(await type(`${command} ${RUN_ID} --with-source fixed.dot`)).toBe(1);
      expect(line.screen.written.stderr).toContain('fixed.dot:2:3 error x One.\n  a\n  ^\nflows/part.dot:1:1 error y');
    }
    server.on(`POST ${RUN}/fork`, problem(400, 'edits.workflow_source has no node "test".'));
    expect(await type(`fork ${RUN_ID} --with-source fixed.dot`)).toBe(2);
  });

  it('lists the checkpoints by what names them', async () => {
    const entries = [
      { ordinal: 1, node_name: 'start', visit: 1, checkpoint_seq: 16, run_commit_sha: null },
      { ordinal: 2, node_name: 'plan', visit: 3, checkpoint_seq: 22, run_commit_sha: '0123456789abcdef' },
    ];
    server.on(`GET ${RUN}/timeline`, json(200, entries));
    expect(await type(`fork ${RUN_ID} --list`)).toBe(0);
    expect(await type(`rewind ${RUN_ID} --list --json`)).toBe(0);
    const table = 'TARGET  STAGE    COMMIT\n@1      start@1  -\n@2      plan@3   0123456789ab\n';
    expect(line.screen.written.stdout).toBe(`${table}${JSON.stringify(entries)}\n`);
  });
});

it('rerun and fork may have questions answered by themselves', async () => {
  expect(await type(`fork ${RUN_ID} --auto-approve`)).toBe(0);
  expect(sent()).toEqual({ edits: { auto_approve: true } });
});

it('rerun forks, starts and follows', async () => {
  expect(await type(`rerun ${RUN_ID} --from plan`)).toBe(0);
  expect(server.requests.map(({ call }) => call).slice(0, 3)).toEqual([
    `POST ${RUN}/fork`,
    `POST ${NEW}/start`,
    `GET ${NEW}/attach`,
  ]);
  expect(sent()).toEqual({ target: 'plan' });
  expect(line.screen.written.stdout).toContain('✓ succeeded');
});

describe('rerun --only-failed', () => {
  const stage = (id: string, status: string, parallel_group_id?: string) => ({ id, status, parallel_group_id });
  const timeline = ['start@1', 'plan@1', 'test@1', 'fork@1', 'end@1'].map((id, i) => {
    const [node_name, visit] = id.split('@');
    return { ordinal: i + 1, node_name, visit: Number(visit), checkpoint_seq: i, run_commit_sha: null };
  });

  it.each([
    ['a stage', [stage('plan@1', 'succeeded'), stage('test@1', 'failed'), stage('end@1', 'succeeded')], '@2'],
    ['the first of several', [stage('test@1', 'failed'), stage('fork@1', 'failed')], '@2'],
    [
      'one that failed before it succeeded',
      [stage('plan@1', 'failed'), stage('plan@2', 'succeeded'), stage('end@1', 'failed')],
      '@4',
    ],
    ['one that was cut off', [stage('plan@1', 'succeeded'), stage('late@1', 'cancelled')], '@5'],
    ['a branch', [stage('fork@1', 'failed'), stage('a@1', 'failed', 'fork@1')], '@3'],
    ['a branch of a fork that was cut off', [stage('other@1', 'failed'), stage('a@1', 'failed', 'other@1')], '@5'],
    ['a branch whose fork succeeded', [stage('fork@1', 'succeeded'), stage('a@1', 'failed', 'fork@1')], '@3'],
    [
      'a branch within a branch',
      [stage('fork@1', 'succeeded'), stage('f@1', 'succeeded', 'fork@1'), stage('a@1', 'failed', 'f@1')],
      '@3',
    ],
  ])('goes on before the failure of %s', async (_, stages, target) => {
    server
      .on(`GET ${RUN}/stages`, json(200, { data: stages, meta: { has_more: false, total: 2 } }))
      .on(`GET ${RUN}/timeline`, json(200, timeline));
    expect(await type(`rerun ${RUN_ID} --only-failed -d`)).toBe(0);
    const forking = server.requests.find(({ call }) => call === `POST ${RUN}/fork`);
    expect(JSON.parse(forking?.body ?? '')).toEqual({ target });
  });

  it('makes nothing where no stage failed, or another place is named', async () => {
    server
      .on(`GET ${RUN}/stages`, json(200, { data: [stage('a@1', 'succeeded')], meta: { has_more: false, total: 1 } }))
      .on(`GET ${RUN}/timeline`, json(200, timeline));
    expect(await type(`rerun ${RUN_ID} --only-failed`)).toBe(1);
    expect(await type(`rerun ${RUN_ID} --only-failed --from plan`)).toBe(2);
    expect(server.requests.filter(({ call }) => call.startsWith('POST'))).toEqual([]);
  });
});

it('rewind prints the new run, and ends with 1 when the old one could not be retired', async () => {
  const rewound = { source_run_id: RUN_ID, new_run_id: NEW_ID, target: '@2', archived: true };
  server.on(`POST ${RUN}/rewind`, json(200, rewound));
  expect(await type(`rewind ${RUN_ID} @2`)).toBe(0);
  expect(sent()).toEqual({ target: '@2' });
  server.on(`POST ${RUN}/rewind`, json(207, { ...rewound, archived: false, archive_error: 'Too busy.' }));
  expect(await type(`rewind ${RUN_ID}`)).toBe(1);
  expect(line.screen.written.stdout).toBe(`${NEW_ID}\n${NEW_ID}\n`);
  expect(line.screen.written.stderr).toContain('Too busy.');
});

describe('resume', () => {
  const log = aLog({ event: 'run.failed' }, { event: 'run.start_requested', properties: { resume: true } }, completed);

  it('shows what happens after it', async () => {
    server
      .on(`POST ${RUN}/start`, json(200, aRun(RUN_ID, { kind: 'runnable' })))
      .on(`GET ${RUN}/events`, json(200, { data: log.slice(0, 1), meta: { has_more: false } }))
      .on(`GET ${RUN}/attach`, stream(log))
      .on(`GET ${RUN}`, json(200, aRun(RUN_ID, { kind: 'succeeded', reason: 'completed' })));
    expect(await type(`resume ${RUN_ID}`)).toBe(0);
    expect(server.requests.find(({ call }) => call === `POST ${RUN}/start`)?.body).toBe('{"resume":true}');
    expect(line.screen.written.stdout).toBe('● resumed\n✓ succeeded  0.0s\n');
  });
});

it('pause --wait returns when the run rests, and ends with 1 when it is over instead', async () => {
  const pausing = aRun(RUN_ID, { kind: 'running' });
  pausing.lifecycle.pending_control = 'pause';
  const states = [pausing, aRun(RUN_ID, { kind: 'paused', prior_block: null })];
  server
    .on(`POST ${RUN}/pause`, json(200, pausing))
    .on(`GET ${RUN}/attach`, stream(aLog({ event: 'run.paused' }, { event: 'run.unpaused' }, completed)))
    .on(`GET ${RUN}`, (...request) => json(200, states.shift())(...request));
  expect(await type(`pause ${RUN_ID} --wait`)).toBe(0);
  expect(line.screen.written.stdout).toBe(`${RUN_ID}  paused\n`);

  const over = aRun(RUN_ID, { kind: 'succeeded', reason: 'completed' });
  server
    .on(`GET ${RUN}/attach`, stream(aLog(completed)))
    .on(`GET ${RUN}`, json(200, over))
    .on(`GET ${RUN}/events`, json(200, { data: aLog(completed), meta: { has_more: false } }));
  expect(await type(`pause ${RUN_ID} --wait`)).toBe(1);
});

it('pause --wait waits for a pause that was asked for before, and takes a paused run as it is', async () => {
  const pausing = aRun();
  pausing.lifecycle.pending_control = 'pause';
  const paused = aRun(RUN_ID, { kind: 'paused', prior_block: null });
  const states = [pausing, paused, paused];
  server
    .on(`POST ${RUN}/pause`, problem(409, 'It has a pending pause request.'))
    .on(`GET ${RUN}/attach`, stream(aLog({ event: 'run.paused' })))
    .on(`GET ${RUN}`, (request, response, body) => json(200, states.shift() ?? aRun())(request, response, body));
  expect([await type(`pause ${RUN_ID} --wait`), await type(`pause ${RUN_ID} --wait`)]).toEqual([0, 0]);
  expect(line.screen.written.stdout).toBe(`${RUN_ID}  paused\n`.repeat(2));
  expect([await type(`pause ${RUN_ID} --wait`), await type(`pause ${RUN_ID}`)]).toEqual([1, 1]);
});

it('pause and unpause say where the run stands', async () => {
  const pausing = aRun(RUN_ID, { kind: 'running' });
  pausing.lifecycle.pending_control = 'pause';
  server.on(`POST ${RUN}/pause`, json(200, pausing)).on(`POST ${RUN}/unpause`, problem(409, 'It is not paused.'));
  expect(await type(`pause ${RUN_ID}`)).toBe(0);
  expect(await type(`unpause ${RUN_ID}`)).toBe(1);
  expect(line.screen.written.stdout).toBe(`${RUN_ID}  running (pause asked for)\n`);
  expect(line.screen.written.stderr).toContain('It is not paused.');
});
