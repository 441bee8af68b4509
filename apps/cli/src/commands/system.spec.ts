import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../../../../test/support/cli/command-line.js';
import { type FakeServer, json, problem } from '../../../../test/support/cli/fake-server.js';
import { RUN_ID } from '../../../../test/support/cli/samples.js';

const OTHER_ID = '01K2ZP6Q8V9Y3T5N7M1R4S6X8C';
const SYSTEM = '/api/v1/system';

let line: CommandLine;
let server: FakeServer;

beforeEach(async () => {
  line = await CommandLine.open();
  ({ server } = line);
});
afterEach(() => line.close());

function type(...words: string[]): Promise<number> {
  line.clear();
  return line.type(['system', ...words]);
}

const bodies = () => server.requests.map(({ body }) => (body === '' ? null : (JSON.parse(body) as unknown)));

it('info tells what the server is', async () => {
  const info = {
    version: '0.1.0',
    server_url: 'http://runs.example',
    os: 'linux',
    arch: 'x64',
    storage_engine: 'postgresql',
    storage_dir: '/data/storage',
    uptime_secs: 3_700,
    runs: { total: 9, active: 3, scheduler_slots_used: 2 },
    sandbox_provider: 'local',
  };
  server.on(`GET ${SYSTEM}/info`, json(200, info));
  expect(await type('info')).toBe(0);
  expect(line.screen.written.stdout.split('\n')).toEqual([
    'version    0.1.0',
    'address    http://runs.example',
    'machine    linux x64',
    'up for     1h01m',
    'storage    postgresql, /data/storage',
    'sandboxes  local',
    'runs       9, 3 active, 2 executing',
    '',
  ]);
  expect(await type('info', '--json')).toBe(0);
  expect(JSON.parse(line.screen.written.stdout)).toEqual(info);
});

describe('check', () => {
  const check = (status: string, remediation: string | null = null) => ({
    name: 'leases',
    status,
    summary: '3 pending, the oldest for 70 s.',
    remediation,
  });
  const answers = (status: string, remediation: string | null = null) =>
    server.on(`GET ${SYSTEM}/check`, json(200, { status, checks: [check(status, remediation)] }));

  it('shows each check, what to do, and the verdict', async () => {
    answers('error', 'See whether Redis can be reached.');
    expect(await type('check')).toBe(1);
    expect(line.screen.written.stdout).toBe(
      [
        '✗ leases  3 pending, the oldest for 70 s.',
        '    → See whether Redis can be reached.',
        '✗ Something does not work.',
        '',
      ].join('\n'),
    );
  });

  it('ends with 0 on warnings, with 1 where they count', async () => {
    answers('warning', 'x');
    expect([await type('check'), await type('check', '--strict')]).toEqual([0, 1]);
    answers('pass');
    expect([await type('check', '--json'), await type('check', '--strict')]).toEqual([0, 0]);
  });

  it('ends with 1 when the server cannot find out', async () => {
    server.on(`GET ${SYSTEM}/check`, problem(503, 'The database cannot be reached right now.'));
    expect(await type('check')).toBe(1);
    expect(line.screen.written.stderr).toContain('The database cannot be reached');
  });
});

describe('df', () => {
  const row = (run_id: string, size_bytes: number, reclaimable: boolean) => ({
    run_id,
    workflow_name: 'w',
    status: reclaimable ? 'succeeded' : 'running',
    start_time: new Date().toISOString(),
    size_bytes,
    reclaimable,
  });
  const usage = {
    summary: [
      { type: 'runs', count: 2, active: 1, size_bytes: 3_000, reclaimable_bytes: 1_024 },
      { type: 'other', count: 4, active: null, size_bytes: 500, reclaimable_bytes: null },
    ],
    total_size_bytes: 3_500,
    total_reclaimable_bytes: 1_024,
    runs: [row(RUN_ID, 1_024, true), row(OTHER_ID, 1_976, false)],
  };

  it('shows the sums', async () => {
    server.on(`GET ${SYSTEM}/df`, json(200, { ...usage, runs: null }));
    expect(await type('df')).toBe(0);
    expect(line.screen.written.stdout.split('\n')).toEqual([
      'TYPE   COUNT  ACTIVE  SIZE     RECLAIMABLE',
      'runs   2      1       2.9 KiB  1.0 KiB',
      'other  4      -       500 B    -',
      'total                 3.4 KiB  1.0 KiB',
      '',
    ]);
  });

  it('shows each run with -v, the largest first', async () => {
    server.on(`GET ${SYSTEM}/df`, json(200, usage));
    expect(await type('df', '-v')).toBe(0);
    expect(server.requests[0]!.query).toBe('?verbose=true');
    const lines = line.screen.written.stdout.split('\n').slice(5);
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'WORKFLOW', 'STATUS', 'CREATED', 'SIZE'],
      [OTHER_ID, 'w', 'running', expect.stringMatching(/^\ds ago$/), '1.9 KiB'],
      [RUN_ID, 'w', 'succeeded', expect.stringMatching(/^\ds ago$/), '1.0 KiB', 'reclaimable'],
      [''],
    ]);
  });
});

describe('prune', () => {
  const pruned = (changes: object) => ({
    dry_run: true,
    runs: null,
    total_count: 0,
    total_size_bytes: 0,
    deleted_count: 0,
    freed_bytes: 0,
    ...changes,
  });

  it('only shows what it would remove, and says how', async () => {
    const runs = [{ run_id: RUN_ID, dir_name: 'd', workflow_name: 'w', size_bytes: 2_048 }];
    server.on(`POST ${SYSTEM}/prune/runs`, json(200, pruned({ runs, total_count: 1, total_size_bytes: 2_048 })));
    expect(await type('prune')).toBe(0);
    expect(bodies()).toEqual([{ dry_run: true, orphans: false }]);
    expect(line.screen.written.stdout).toContain(`${RUN_ID}  w         2.0 KiB`);
    expect(line.screen.written.stderr).toBe('1 run, 2.0 KiB. Nothing was removed; --yes does it.\n');
  });

  it('sends every filter', async () => {
    server.on(`POST ${SYSTEM}/prune/runs`, json(200, pruned({ dry_run: false, total_count: 2, deleted_count: 2 })));
    const filters = ['--before', '2026-03', '--older-than', '30d', '--workflow', 'rel', '--orphans', '--yes'];
    expect(await type('prune', ...filters, '--label', 'a=b', '--label', 'c=d=e')).toBe(0);
    expect(bodies()).toEqual([
      {
        dry_run: false,
        orphans: true,
        before: '2026-03',
        older_than: '30d',
        workflow: 'rel',
        labels: { a: 'b', c: 'd=e' },
      },
    ]);
    expect(line.screen.written.stdout).toBe('removed 2 runs, 0 B\n');
  });

  it('ends with 1 when some could not be removed', async () => {
    server.on(`POST ${SYSTEM}/prune/runs`, json(200, pruned({ dry_run: false, total_count: 3, deleted_count: 2 })));
    expect(await type('prune', '--yes')).toBe(1);
    expect(line.screen.written.stderr).toContain('1 run could not be removed');
  });

  it('refuses a label without a value, and passes on what the server refuses', async () => {
    expect(await type('prune', '--label', 'a')).toBe(2);
    expect(server.requests).toEqual([]);
    server.on(`POST ${SYSTEM}/prune/runs`, problem(400, 'older_than must be a number of hours or days.'));
    expect(await type('prune', '--older-than', '2w')).toBe(2);
  });
});

describe('repair runs', () => {
  const issue = (run_id: string) => ({ run_id, created_at: '2026-03-01T09:14:07.312Z', error: 'It has a hole.' });
  const finds = (...ids: string[]) =>
    server.on(`GET ${SYSTEM}/repair/runs`, json(200, { runs: ids.map(issue), total_count: ids.length }));

  it('has nothing to say where every run can be read', async () => {
    finds();
    expect([await type('repair', 'runs'), await type('repair', 'runs', '--delete')]).toEqual([0, 0]);
    expect(line.screen.written).toEqual({ stdout: '', stderr: 'Every run can be read.\n' });
  });

  it('lists what cannot be read and deletes nothing of it', async () => {
    finds(RUN_ID);
    expect(await type('repair', 'runs')).toBe(1);
    expect(line.screen.written.stdout).toBe(`${RUN_ID}  It has a hole.\n`);
    expect(await type('repair', 'runs', '--delete')).toBe(2);
    expect(line.screen.written.stderr).toMatch(/1 run for good(.|\n)*--yes/);
    expect(server.requests.map(({ call }) => call)).toEqual(Array(2).fill(`GET ${SYSTEM}/repair/runs`));
  });

  it('deletes them when it is told to, a hundred at a time', async () => {
    const ids = Array.from({ length: 101 }, (_, i) => `${RUN_ID.slice(0, 23)}${String(i).padStart(3, '0')}`);
    finds(...ids);
    server.on('POST /api/v1/runs/delete', (request, response, body) => {
      const { run_ids } = JSON.parse(body) as { run_ids: string[] };
      const results = run_ids.map((run_id) => ({ run_id, ok: true, outcome: 'deleted' }));
      json(200, { results, summary: { requested: run_ids.length, succeeded: run_ids.length, failed: 0 } })(
        request,
        response,
        body,
      );
    });
    expect(await type('repair', 'runs', '--delete', '--yes')).toBe(0);
    expect(bodies().slice(1)).toEqual([
      { run_ids: ids.slice(0, 100), force: true },
      { run_ids: ids.slice(100), force: true },
    ]);
    expect(line.screen.written.stdout).toBe('101 runs deleted\n');
  });
});
