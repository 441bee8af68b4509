import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runyard } from './program.js';
import { CapturedScreen } from '../../../test/support/cli/captured-screen.js';
import { FakeServer, json, problem, stream } from '../../../test/support/cli/fake-server.js';
import { aCommand, aLog, aRun, RUN_ID } from '../../../test/support/cli/samples.js';

const RUN = `/api/v1/runs/${RUN_ID}`;
const GOOD =
  'digraph Good { goal="Check {{ inputs.n | default(0) }}" start [shape=Mdiamond] done [shape=Msquare] start -> done }';

let server: FakeServer;
let folder: string;
let screen: CapturedScreen;

beforeEach(async () => {
  server = await FakeServer.listen();
  folder = await mkdtemp(path.join(tmpdir(), 'runyard-'));
  screen = new CapturedScreen();
  await writeFile(path.join(folder, 'good.dot'), GOOD);
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** Types a command line; what was piped in comes last. */
function type(line: string, stdin = ''): Promise<number> {
  const env = { RUNYARD_HOME: path.join(folder, 'home'), RUNYARD_SERVER: server.url, RUNYARD_TOKEN: 'service_dev_x' };
  return runyard(line.split(' '), { env, cwd: folder, stdin: Readable.from([stdin]), screen });
}

const body = <T>(): T => JSON.parse(screen.written.stdout) as T;

/** The server as it is after a run: its log, and how it ended. */
function afterRun(kind: 'succeeded' | 'failed', exitCode: number): void {
  const status =
    kind === 'succeeded' ? { kind, reason: 'completed' as const } : { kind, reason: 'workflow_error' as const };
  const end =
    kind === 'succeeded' ? { event: 'run.completed', properties: { reason: 'completed', timing: {} } } : failure;
  const log = aLog(...aCommand('check', 'fine', exitCode), end);
  server
    .on('POST /api/v1/runs', json(201, aRun(RUN_ID, { kind: 'submitted' })))
    .on(`POST ${RUN}/start`, json(200, aRun(RUN_ID, { kind: 'runnable' })))
    .on(`GET ${RUN}/attach`, stream(log))
    .on(`GET ${RUN}/events`, json(200, { data: log.slice(-1), meta: { has_more: true } }))
    .on(`GET ${RUN}`, json(200, aRun(RUN_ID, status)));
}

const failure = {
  event: 'run.failed',
  properties: { failure: { reason: 'workflow_error', detail: { message: 'No way on.' } }, timing: { wall_time_ms: 1 } },
};

describe('run', () => {
  it('creates, starts and follows; the code tells how the run ended', async () => {
    afterRun('succeeded', 0);
    expect(await type('run good.dot --label team=web -I n=1 --title Hello')).toBe(0);
    expect(server.requests.slice(0, 3).map(({ call }) => call)).toEqual([
      'POST /api/v1/runs',
      `POST ${RUN}/start`,
      `GET ${RUN}/attach`,
    ]);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      title: 'Hello',
      args: { label: ['team=web'], input: ['n=1'] },
      workflows: { 'good.dot': { source: GOOD } },
    });
    expect(screen.written.stdout).toContain('✓ check');

    afterRun('failed', 1);
    expect(await type('run good.dot')).toBe(1);
    expect(screen.written.stderr).toContain(`runyard inspect ${RUN_ID}`);
  });

  it('sends nothing with an input that the workflow does not read', async () => {
    expect(await type('run good.dot -I m=1')).toBe(2);
    expect(screen.written.stderr).toContain('-I m: good.dot reads no input of that name.');
    expect(server.requests).toEqual([]);
  });

  it('prints nothing but events with --json, and nothing but the id with -d', async () => {
    afterRun('succeeded', 0);
    expect(await type('run good.dot --json')).toBe(0);
    const lines = screen.written.stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 2, 3, 4]);

    screen = new CapturedScreen();
    expect(await type('run good.dot -d')).toBe(0);
    expect(screen.written).toEqual({ stdout: `${RUN_ID}\n`, stderr: '' });
  });

  it('sends nothing when the workflow cannot run', async () => {
    await writeFile(path.join(folder, 'rules.dot'), 'digraph R { start [shape=Mdiamond] start -> gone }');
    await writeFile(path.join(folder, 'syntax.dot'), 'digraph R {');
    expect(await type('run rules.dot')).toBe(1);
    expect(await type('run syntax.dot')).toBe(1);
    expect(screen.written.stderr).toMatch(/^rules\.dot:1:\d+ error \w+ .+\n.*\n.*\n +\^+$/m);
    expect(await type('run gone.dot')).toBe(2);
    expect(await type('run good.dot --goal a --goal-file b')).toBe(2);
    expect(server.requests).toEqual([]);
  });
});

describe('other commands', () => {
  beforeEach(
    () => void server.on('GET /api/v1/runs', json(200, { data: [aRun()], meta: { has_more: false, total: 1 } })),
  );

  it('ps lists what is active, and prints one document with --json', async () => {
    expect(await type('ps')).toBe(0);
    expect(server.requests[0]?.query).toContain('status=running');
    expect(screen.written.stdout).toContain(RUN_ID);
    screen = new CapturedScreen();
    expect(await type('ps --all --json')).toBe(0);
    expect(body<{ data: unknown[] }>().data).toHaveLength(1);
  });

  it('attach to an ended run tells its outcome, also when no event is left to show', async () => {
    afterRun('failed', 1);
    expect(await type('attach @last --since-seq 5')).toBe(1);
  });

  it('inspect prints the run as the server shows it', async () => {
    server.on('GET /api/v1/runs/resolve', json(200, aRun())).on(`GET ${RUN}`, json(200, aRun()));
    expect(await type('inspect review --json')).toBe(0);
    expect(body()).toEqual(aRun());
  });

  it('cancel takes an ended run kindly when it is told to', async () => {
    server
      .on(`POST ${RUN}/cancel`, problem(409, 'It is failed.'))
      .on(`GET ${RUN}`, json(200, aRun(RUN_ID, { kind: 'failed', reason: 'cancelled' })));
    expect(await type('cancel @last')).toBe(1);
    expect(await type('cancel @last --if-active')).toBe(0);
    expect(screen.written.stderr).toContain(`Run ${RUN_ID} is over: cancelled.`);
    server.on(`GET ${RUN}`, json(200, aRun()));
    expect(await type('cancel @last')).toBe(1);
    expect(screen.written.stderr).toContain('It is failed.');
  });

  it('validate asks no server', async () => {
    expect(await type('validate good.dot --json')).toBe(0);
    const good = { workflow: 'good.dot', valid: true, diagnostics: [], missingInputs: [] };
    expect(body()).toEqual({ valid: true, workflows: [good] });
    expect(server.requests).toEqual([]);
  });

  it('auth login keeps a token that the server took', async () => {
    expect(await type('auth login --token-stdin', 'service_dev_piped\n')).toBe(0);
    expect(server.requests[0]?.authorization).toBe('Bearer service_dev_piped');
    server.on('GET /api/v1/runs', problem(401, 'The access token is not valid.'));
    expect(await type('auth login --token-stdin', 'wrong')).toBe(4);
    expect(await type('auth login')).toBe(2);
  });

  it('server status says that none runs', async () => {
    expect(await type('server status --json')).toBe(5);
    expect(body()).toEqual({ running: false });
  });
});

it('ends with 2 for wrong use, 5 without a server, 0 for help', async () => {
  expect(await type('nope')).toBe(2);
  expect(await type('ps --limit many')).toBe(2);
  expect(await type('inspect')).toBe(2);
  expect(await type('--help')).toBe(0);
  expect(await type(`ps --server ${path.join(folder, 'gone.sock')}`)).toBe(5);
});
