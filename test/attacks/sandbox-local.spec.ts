import { readServerRecord } from '#libs/config';
import { DEFAULT_TENANT } from '#libs/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { ApiCaller, command, workflow } from '../support/api-caller.js';
import { isRunning } from '../support/local-sandbox.js';
import { mayActAsOthers, needsRoot } from '../support/other-user.js';
import { serverHome, testBuild, type ServerHome } from '../support/standalone.js';
import { until } from '../support/until.js';

const NOBODY = 65_534;
const onLinux = process.platform === 'linux' ? describe : describe.skip;
const asRoot = mayActAsOthers ? describe : describe.skip;
const hasPerl = spawnSync('perl', ['-v']).status === 0;
const withReaper = process.platform === 'linux' && hasPerl ? describe : describe.skip;

const newToken = (): string => `service_dev_${randomBytes(32).toString('hex')}`;

interface Site {
  place: ServerHome;
  caller: ApiCaller;
  pid: number;
}

const build = testBuild();

async function site(env: NodeJS.ProcessEnv, settings?: string): Promise<Site> {
  const place = await serverHome();
  if (settings !== undefined) await writeFile(place.home.settings, settings, { mode: 0o600 });
  const { server, caller } = await place.serving(build.program, env);
  return { place, caller, pid: server.pid };
}

/** What a command of a run wrote. */
async function outputOf({ caller, place }: Site, script: string, to = 'said'): Promise<string> {
  const { id } = await caller.begin(
    workflow(`${command('c', `{ ${script}\n} > ${to} 2>&1 || true`)} start -> c -> exit`),
  );
  await caller.ends(id, 20_000);
  return readFile(join(place.directory, to), 'utf8');
}

/** Somebody with a role of their own, as an administrator would make them. */
async function withRole({ caller, place }: Site, role: string): Promise<ApiCaller> {
  const client = new pg.Client({ connectionString: (await readServerRecord(place.home))!.database_url! });
  const token = newToken();
  await client.connect();
  try {
    await client.query(
      `INSERT INTO access_tokens (token_sha256, tenant_id, role, principal)
       SELECT $1, tenant_id, $2, principal FROM access_tokens WHERE tenant_id = $3 LIMIT 1`,
      [createHash('sha256').update(token).digest('hex'), role, DEFAULT_TENANT],
    );
  } finally {
    await client.end();
  }
  return new ApiCaller(caller.url, token, place.directory);
}

const SOURCE = workflow(`${command('c', 'true')} start -> c -> exit`);

describe('On a server whose commands are its own user’s', () => {
  const token = newToken();
  let own: Site;
  beforeAll(async () => {
    own = await site({ RUNYARD_DEV_TOKEN: token, AWS_SECRET_ACCESS_KEY: `aws-${token}` });
  });
  afterAll(() => own.place.remove());

  onLinux('V6: a command that looks for secrets in the environment of processes', () => {
    it('finds none of the server’s', async () => {
      const seen = await outputOf(own, `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -a -e ${token.slice(0, 30)}`);
      expect(seen).not.toContain(token);
      expect(await outputOf(own, `tr '\\0' '\\n' < /proc/${own.pid}/environ; env`)).not.toContain('TOKEN');
    });

    it('twin: the token opens the server, and commands have what tools need', async () => {
      expect((await own.caller.send('GET', '/api/v1/runs')).status).toBe(200);
      expect(await readFile(own.place.home.credentials, 'utf8')).toContain(token);
      expect(await outputOf(own, 'echo "$PATH"')).toContain('/bin');
    });
  });

  describe('V6: somebody who is no administrator', () => {
    it.each(['operator', 'editor'])('decides as %s what no command of the server’s user does', async (role) => {
      const person = await withRole(own, role);
      const answer = await person.send('POST', '/api/v1/runs', { body: person.manifest(SOURCE) });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('sandbox.local.user');
    });

    it('twin: starts what an administrator created, and rehearses what they wrote', async () => {
      const operator = await withRole(own, 'operator');
      const { id } = await own.caller.create(SOURCE);
      await operator.start(id);
      expect((await operator.ends(id)).lifecycle.status.kind).toBe('succeeded');
      const rehearsal = operator.manifest(SOURCE, { args: { dry_run: true } });
      expect((await operator.send('POST', '/api/v1/runs', { body: rehearsal })).status).toBe(201);
    });
  });

  withReaper(`V11: a process that leaves its command${hasPerl ? '' : ' (skipped: needs perl)'}`, () => {
    const pidIn = async (name: string): Promise<number> => {
      const text = async (): Promise<string> => readFile(join(own.place.directory, name), 'utf8').catch(() => '');
      await until(async () => /^\d+\n/.test(await text()), `${name} holds a process id`);
      return Number(await text());
    };
    /** Leaves group, session and environment, and writes down who it is. */
    const hides = (name: string, how = ''): string => `env -i setsid sh -c 'echo $$ > ${name}; exec sleep 91' ${how} &`;
    const run = async (script: string): Promise<string> =>
      (await own.caller.begin(workflow(`${command('c', script)} start -> c -> exit`))).id;

    it.each([
      ['without its environment and session', 'plain', (name: string) => hides(name)],
      ['with nothing of the command open', 'silent', (name: string) => hides(name, '</dev/null >/dev/null 2>&1')],
      ['by forking twice', 'twice', (name: string) => `( ( ${hides(name)} ) & );`],
    ])('%s ends with it', async (_how, name, script) => {
      await own.caller.ends(await run(`${script(name)} while [ ! -s ${name} ]; do sleep 0.05; done`));
      expect(await isRunning(await pidIn(name))).toBe(false);
    });

    it('ends with it while an older command works, or with that one where nothing tells whose it is', async () => {
      const older = await run('while [ ! -e go ]; do sleep 0.05; done');
      await own.caller.ends(await run(`${hides('known')} while [ ! -s known ]; do sleep 0.05; done`));
      expect(await isRunning(await pidIn('known'))).toBe(false);
      await own.caller.ends(
        await run(`${hides('unknown', '<&- >&- 2>&-')} while [ ! -s unknown ]; do sleep 0.05; done`),
      );
      await writeFile(join(own.place.directory, 'go'), '');
      await own.caller.ends(older);
      expect(await isRunning(await pidIn('unknown'))).toBe(false);
    });

    it('ends with the runner that somebody killed', async () => {
      const id = await run(`${hides('orphan')} sleep 30`);
      const pid = await pidIn('orphan');
      const runner = (await own.place.processes()).find((line) => line.includes('runner/main.js'))!;
      process.kill(Number.parseInt(runner, 10), 'SIGKILL');
      await until(async () => !(await isRunning(pid)), 'the process is gone');
      await own.caller.send('POST', `/api/v1/runs/${id}/cancel`);
    });

    it('twin: works as long as its command does, whatever ends beside it', async () => {
      const served = await run(`${hides('server')} while [ ! -e done ]; do sleep 0.05; done`);
      const pid = await pidIn('server');
      await own.caller.ends(await run('true'));
      await own.caller.ends(await run('sleep 0.2 & true'));
      expect(await isRunning(pid)).toBe(true);
      await writeFile(join(own.place.directory, 'done'), '');
      await own.caller.ends(served);
      expect(await isRunning(pid)).toBe(false);
    });
  });
});

asRoot(`On a server whose commands have a user of their own${needsRoot}`, () => {
  let apart: Site;
  beforeAll(async () => {
    const settings = '[sandbox.local]\nuser = "nobody"\n[server.web]\nport = 0\n';
    apart = await site({}, settings);
    await chown(apart.place.directory, NOBODY, NOBODY);
  });
  afterAll(() => apart.place.remove());

  describe('V6: a command', () => {
    it('reads nothing of the server: no token, no record, no memory, no object', async () => {
      const { home } = apart.place;
      const files = [home.credentials, home.settings, home.serverRecord, home.objects, home.sandboxes, home.socket];
      files.forEach((file) => expect(existsSync(file)).toBe(true));
      const script = `for f in ${files.join(' ')} /proc/${apart.pid}/environ /proc/${apart.pid}/mem; do head -c1 "$f" || ls "$f"; done`;
      const said = await outputOf(apart, `${script}; kill -0 ${apart.pid}`);
      expect(said).not.toContain('{');
      expect(said.match(/Permission denied|Operation not permitted/g)!.length).toBeGreaterThanOrEqual(files.length + 3);
    });

    it('twin: works as that user in the directory of its run, with scripts of any length', async () => {
      expect(await outputOf(apart, 'id -un; echo "$HOME $USER"; touch mine')).toBe('nobody\n/nonexistent nobody\n');
      const long = `# ${'x'.repeat(200_000)}`;
      expect(await outputOf(apart, `echo done\n${long}\n`)).toBe('done\n');
    });

    it('twin: is open to those who may create runs, and says whose it is', async () => {
      const operator = await withRole(apart, 'operator');
      const { id } = await operator.begin(SOURCE);
      expect((await operator.ends(id)).lifecycle.status.kind).toBe('succeeded');
      const events = await operator.send('GET', `/api/v1/runs/${id}/events`);
      expect(events.text).toContain('Commands run as nobody, on this machine');
    });
  });
});

describe('V6: a secret in a file', () => {
  it('twin: is read once, and others may not read it', async () => {
    const place = await serverHome();
    const token = newToken();
    const file = join(place.directory, 'token');
    await writeFile(file, `${token}\n`, { mode: 0o644 });
    try {
      const refused = place.start(build.program, [], { RUNYARD_DEV_TOKEN_FILE: file });
      expect(await refused.gone(20_000)).toBe(1);
      expect(refused.output).toMatch(/RUNYARD_DEV_TOKEN_FILE: others may read .*chmod 400/);
      await chmod(file, 0o400);
      const { caller } = await place.serving(build.program, { RUNYARD_DEV_TOKEN_FILE: file });
      expect((await new ApiCaller(caller.url, token, '/').send('GET', '/api/v1/runs')).status).toBe(200);
    } finally {
      await place.remove();
    }
  });
});
