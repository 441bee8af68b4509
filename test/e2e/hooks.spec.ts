import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { command, workflow, type EventEnvelope, type Run } from '../support/api-caller.js';
import { specServer } from '../support/spec-server.js';
import { until } from '../support/until.js';

const server = await specServer();
const { caller } = server;

// build -failed-> fix ; build -> ship ; both -> exit
const SHIP = workflow(`${command('build', 'echo built')} ${command('fix', 'true')} ${command('ship', 'true')}
  start -> build; build -> fix [condition="outcome=failed"]; build -> ship; fix -> exit; ship -> exit`);

function withHooks(...hooks: Record<string, string | boolean>[]): Record<string, unknown> {
  const tables = hooks.map((hook) =>
    ['[[run.hooks]]', ...Object.entries(hook).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)].join('\n'),
  );
  return { configs: [{ type: 'project', path: 'project.toml', source: tables.join('\n') }] };
}

async function shipped(...hooks: Record<string, string | boolean>[]): Promise<{ run: Run; log: EventEnvelope[] }> {
  const { id } = await caller.begin(SHIP, withHooks(...hooks));
  const run = await caller.ends(id);
  return { run, log: await caller.events(id) };
}

/** Empty for a file that is not there. */
function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** What the log says of hooks, each as one sentence. */
function hooksIn(log: EventEnvelope[]): string[] {
  return log
    .filter(({ event }) => event.startsWith('hook.'))
    .map(({ event, properties }) => [event, properties?.hook_name, properties?.decision].filter(Boolean).join(' '));
}

function stagesIn(log: EventEnvelope[]): string[] {
  return log.flatMap(({ event, stage_id, properties }) =>
    event === 'stage.completed' ? [`${stage_id} ${String(properties?.status)}`] : [],
  );
}

describe('a hook that is a command', () => {
  it('is told what is about to begin, where the run works', async () => {
    const script = 'cp "$RUNYARD_HOOK_CONTEXT" told.json; cat > read.json; echo $RUNYARD_NODE_ID > node';
    const { run, log } = await shipped({ id: 'told', event: 'stage_start', matcher: '^build$', script });
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(hooksIn(log)).toEqual(['hook.started told', 'hook.completed told proceed']);
    const told = await readFile(join(caller.directory, 'told.json'), 'utf8');
    expect(JSON.parse(told)).toMatchObject({ event: 'stage_start', run_id: run.id, node_id: 'build', attempt: 1 });
    expect(await readFile(join(caller.directory, 'read.json'), 'utf8')).toBe(told);
    expect(await readFile(join(caller.directory, 'node'), 'utf8')).toBe('build\n');
  });

  it('has a stage left out', async () => {
    const script = `echo checking >&2; echo '{"decision":"skip","reason":"cached"}'`;
    const { log } = await shipped({ id: 'cache', event: 'stage_start', matcher: '^build$', script });
    expect(stagesIn(log)).toEqual(['start@1 succeeded', 'build@1 skipped', 'ship@1 succeeded', 'exit@1 succeeded']);
    expect(log.some(({ event }) => event === 'command.started')).toBe(true);
  });

  it('leads elsewhere', async () => {
    const script = `echo '{"decision":"override","edge_to":"fix"}'`;
    const { log } = await shipped({ id: 'lead', event: 'edge_selected', matcher: '^ship$', script });
    expect(stagesIn(log)).toEqual(['start@1 succeeded', 'build@1 succeeded', 'fix@1 succeeded', 'exit@1 succeeded']);
  });

  it.each([
    ['by its exit code', { script: 'exit 2' }, /hook exited with code 2/],
    ['by a fault', { script: 'exit 9' }, /hook exited with code 9/],
    ['by taking too long', { script: 'sleep 20', timeout: '200ms' }, /hook was stopped after/],
  ])('stops the run %s, and nothing of it begins', async (_, hook, says) => {
    const { run, log } = await shipped({ id: 'guard', event: 'run_start', ...hook });
    expect(run.lifecycle.status).toEqual({ kind: 'failed', reason: 'workflow_error' });
    expect(run.lifecycle.error?.message).toMatch(/^blocked by the hook "guard"/);
    expect(run.lifecycle.error?.message).toMatch(says);
    expect(stagesIn(log)).toEqual([]);
  });

  it('does not stop it where it is only told', async () => {
    const { run, log } = await shipped({ id: 'loud', event: 'stage_complete', matcher: '^build$', script: 'exit 2' });
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(hooksIn(log)).toEqual(['hook.started loud', 'hook.completed loud block']);
  });

  it('ends with its run when that is cancelled', async () => {
    const { id } = await caller.begin(
      SHIP,
      withHooks({ id: 'slow', event: 'run_start', script: 'echo $$ > pid; exec sleep 60' }),
    );
    const pidFile = join(caller.directory, 'pid');
    await until(async () => (await textOf(pidFile)).endsWith('\n'), 'the hook runs');
    const pid = Number(await textOf(pidFile));
    await caller.cancel(id);
    const run = await caller.ends(id);
    expect(run.lifecycle.status).toEqual({ kind: 'failed', reason: 'cancelled' });
    await until(() => !existsSync(`/proc/${pid}`), 'the hook is stopped');
  });

  it('hears how the run ended before that is stored', async () => {
    const script = 'cat > end.json';
    const guard = { id: 'no', event: 'stage_start', matcher: '^ship$', script: 'exit 2' };
    const { log } = await shipped(guard, { id: 'end', event: 'run_failed', script });
    expect(JSON.parse(await readFile(join(caller.directory, 'end.json'), 'utf8'))).toMatchObject({
      event: 'run_failed',
      status: 'workflow_error',
      failure_reason: expect.stringContaining('blocked by the hook "no"'),
    });
    expect(log.at(-1)?.event).toBe('run.failed');
  });

  it('does not run in a dry run', async () => {
    await writeFile(join(caller.directory, 'dry'), 'untouched');
    const hooks = withHooks({ event: 'run_start', script: 'echo touched > dry' });
    const { id } = await caller.begin(SHIP, { ...hooks, args: { dry_run: true } });
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
    expect(await readFile(join(caller.directory, 'dry'), 'utf8')).toBe('untouched');
  });
});

describe('a hook that is a server', () => {
  const calls: { key: unknown; body: Record<string, unknown> }[] = [];
  let answer = '';
  let receiver: Server;
  let url: string;

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        calls.push({ key: request.headers['idempotency-key'], body: JSON.parse(body) as Record<string, unknown> });
        response.end(answer);
      });
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });
  afterAll(() => new Promise<void>((done) => receiver.close(() => done())));

  it('hears of every moment it wants to hear of, in order, each under a key of its own', async () => {
    const events = ['run_start', 'sandbox_ready', 'stage_start', 'stage_complete', 'edge_selected', 'checkpoint_saved'];
    const ends = ['run_complete', 'sandbox_cleanup'];
    calls.length = 0;
    const { run } = await shipped(...[...events, ...ends].map((event) => ({ id: event, event, url, tls: 'off' })));
    expect(run.lifecycle.status.kind).toBe('succeeded');
    const ofNode = ['stage_start', 'stage_complete', 'edge_selected', 'checkpoint_saved'];
    expect(calls.map(({ body }) => body.event)).toEqual([
      'sandbox_ready',
      'run_start',
      ...['start', 'build', 'ship'].flatMap(() => ofNode),
      ...ends,
    ]);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(calls.length);
  });

  it('decides by what it answers', async () => {
    answer = '{"decision":"block","reason":"change freeze"}';
    const { run } = await shipped({ id: 'policy', event: 'stage_start', matcher: '^ship$', url, tls: 'off' });
    expect(run.lifecycle.error?.message).toBe('blocked by the hook "policy": change freeze');
  });

  it('holds nothing up when it is away', async () => {
    const { run, log } = await shipped({ id: 'away', event: 'run_start', url: 'http://127.0.0.1:1/', tls: 'off' });
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(hooksIn(log)).toEqual(['hook.started away', 'hook.failed away proceed']);
  });
});

describe('settings with a hook', () => {
  it.each([
    [{ event: 'dance', script: 'x' }, 'run.hooks.0.event must be one of run_start'],
    [{ event: 'run_start' }, 'exactly one of script, command, url or prompt must be set'],
    [
      { event: 'run_start', script: 'x', url: 'https://x' },
      'exactly one of script, command, url or prompt must be set',
    ],
    [{ event: 'run_start', url: 'http://x' }, 'the url must be https, or http with tls = \\"off\\"'],
    [{ event: 'run_start', url: 'https://x/{{ secrets.T }}' }, 'names the secret \\"T\\"'],
    [{ event: 'run_start', script: 'x', timeout: 'soon' }, 'run.hooks.0.timeout must be a duration'],
    [{ event: 'run_start', prompt: 'May it?' }, 'run.hooks with a prompt'],
  ])('%j make no run', async (hook, says) => {
    const { status, body } = await caller.send('POST', '/api/v1/runs', {
      body: caller.manifest(SHIP, withHooks(hook)),
    });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(says)]);
  });
});
