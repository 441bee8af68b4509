import { readServerRecord } from '#libs/config';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync, readdirSync } from 'node:fs';
import { chmod, lchown, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { command, workflow, type ApiCaller } from '../support/api-caller.js';
import { asNobody, mayActAsOthers, needsRoot } from '../support/other-user.js';
import { serverHome, testBuild, type ServerHome } from '../support/standalone.js';

const NOBODY = 65_534;
const describeAsRoot = mayActAsOthers ? describe : describe.skip;

/** A path that leaves no room for a socket beside the data of PostgreSQL, but for the server's own. */
const LONG_NAME = 'a-home-with-a-path-of-some-length-as-ci-workspaces-have-it';

const build = testBuild();
let place: ServerHome;
let caller: ApiCaller;
let serverPid: number;
let databaseUrl: string;
/** What an attacker prepares: the name under the temporary directory that is a digest of the path of the data. */
let guessed: string;
let victim: string;

beforeAll(async () => {
  if (!mayActAsOthers) return;
  place = await serverHome(LONG_NAME);
  const digest = createHash('sha256').update(place.home.database).digest('hex').slice(0, 12);
  guessed = path.join(tmpdir(), `runyard-${digest}`);
  victim = path.join(place.directory, 'of-another');
  await mkdir(victim, { mode: 0o755 });
  await symlink(victim, guessed);
  await lchown(guessed, NOBODY, NOBODY);
  // A home that was made with the rights of any folder, as an administrator may have done.
  await mkdir(path.join(place.home.objects, 'old'), { recursive: true, mode: 0o755 });
  await writeFile(path.join(place.home.objects, 'old', 'output'), 'secret', { mode: 0o644 });
  await writeFile(path.join(place.home.directory, 'notes'), 'secret', { mode: 0o644 });
  for (const folder of [place.home.storage, place.home.objects, place.home.directory]) await chmod(folder, 0o755);
  const serving = await place.serving(build.program);
  caller = serving.caller;
  serverPid = serving.server.pid;
  databaseUrl = (await readServerRecord(place.home))!.database_url!;
  const { id } = await caller.begin(workflow(`${command('long', 'seq 40000')} start -> long -> exit`));
  await caller.ends(id);
});
afterAll(async () => {
  if (!mayActAsOthers) return;
  await place.remove();
  await rm(guessed, { force: true });
});

const socketFolder = (): string => new URL(databaseUrl).searchParams.get('host')!;

async function askedOfDatabase(statement: string, url = databaseUrl): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

describeAsRoot(`V2: a folder for the socket that another user prepared${needsRoot}`, () => {
  it('is neither used nor given to anybody', () => {
    expect(lstatSync(victim).uid).toBe(0);
    expect(readdirSync(victim)).toEqual([]);
    expect(socketFolder()).not.toBe(guessed);
  });

  it('twin: the server serves on a folder of its own, which nobody else may enter', async () => {
    const { mode, uid } = lstatSync(socketFolder());
    expect(mode & 0o777).toBe(0o700);
    expect(uid).toBe(lstatSync(place.home.database).uid);
    expect((await caller.send('GET', '/api/v1/runs')).status).toBe(200);
    expect(await askedOfDatabase('SELECT current_user')).toEqual([{ current_user: 'runyard' }]);
  });

  it('without the password nobody signs in, whatever role they name', async () => {
    for (const user of ['runyard:guess', 'runyard', 'postgres', 'runyard_app']) {
      const url = databaseUrl.replace(/\/\/[^@]*@/, `//${user}@`);
      await expect(askedOfDatabase('SELECT 1', url)).rejects.toMatchObject({
        message: expect.stringMatching(/password|no pg_hba\.conf entry/),
      });
    }
  });
});

describeAsRoot(`V20: the session of the embedded database${needsRoot}`, () => {
  it.each([
    ['becomes no superuser', 'SET ROLE postgres'],
    ['reads no file of the host', "COPY (SELECT 1) TO '/tmp/out'"],
    ['starts no program', "COPY (SELECT 1) TO PROGRAM 'id'"],
    ['makes no role', 'CREATE ROLE more SUPERUSER'],
  ])('%s', async (_what, statement) => {
    await expect(askedOfDatabase(statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('has a password that no command line prints', () => {
    const env = { ...process.env, RUNYARD_HOME: place.home.directory };
    for (const format of [[], ['--json']]) {
      const args = [build.main('cli'), 'server', 'status', ...format];
      const { stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
      expect(stdout).toContain('postgresql://runyard@localhost');
      expect(stdout).not.toContain(new URL(databaseUrl).password);
    }
  });

  it('twin: it owns its own tables', async () => {
    expect(await askedOfDatabase('SELECT count(*) > 0 AS some FROM runs')).toEqual([{ some: true }]);
    const strangers =
      "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relowner <> 'runyard'::regrole";
    expect(await askedOfDatabase(strangers)).toEqual([]);
  });
});

describeAsRoot(`V15: everything in a home, for another user of the machine${needsRoot}`, () => {
  const everything = (): string[] =>
    spawnSync('find', [place.home.directory, socketFolder()], { encoding: 'utf8' }).stdout.trim().split('\n');

  it('is neither read, nor written, nor connected to', () => {
    const entries = everything();
    expect(entries.length).toBeGreaterThan(500);
    const may = 'for entry; do [ -r "$entry" ] && echo "reads $entry"; [ -w "$entry" ] && echo "writes $entry"; done';
    expect(asNobody(may, entries)).toBe('');
  });

  it('is passed through at most, on the way to where PostgreSQL works', () => {
    const folders = everything().filter((entry) => lstatSync(entry).isDirectory());
    const entered = asNobody('for entry; do [ -x "$entry" ] && echo "$entry"; done', folders).trim().split('\n');
    expect(entered).toEqual([place.home.directory, place.home.storage]);
  });

  it('is not seen in the processes that serve it', () => {
    for (const pid of [serverPid, ...childrenOf(serverPid)]) {
      expect(asNobody(`cat /proc/${pid}/environ /proc/${pid}/mem; ls /proc/${pid}/fd /proc/${pid}/cwd/`)).not.toContain(
        '=',
      );
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(new URL(databaseUrl).password);
    }
  });

  it('and behind its ports nobody is served without a token', () => {
    const ports = listeningPorts();
    expect(ports).toContain(Number(new URL(caller.url).port));
    for (const port of ports) {
      const script = `fetch('http://127.0.0.1:${port}/api/v1/runs').then((it) => console.log(it.status))`;
      expect(asNobody(`exec "$1" -e "$2"`, [process.execPath, script]).trim()).toBe('401');
    }
  });

  it('twin: its owner reads all of it, and what commands make is as open as ever', async () => {
    expect(readFileSync(path.join(place.home.objects, 'old', 'output'), 'utf8')).toBe('secret');
    const { id } = await caller.begin(workflow(`${command('make', 'touch made; umask')} start -> make -> exit`));
    await caller.ends(id);
    expect(lstatSync(path.join(place.directory, 'made')).mode & 0o777).toBe(0o666 & ~process.umask());
  });
});

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' });
  return stdout.split('\n').map(Number).filter(Boolean);
}

/** On which TCP ports the processes of this home listen. */
function listeningPorts(): number[] {
  const tcp = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n').slice(1, -1));
  const listening = tcp.map((line) => line.trim().split(/\s+/)).filter(([, , , state]) => state === '0A');
  const postmaster = readFileSync(path.join(place.home.database, 'postmaster.pid'), 'utf8').split('\n')[0]!;
  const sockets = [`${serverPid}`, postmaster].flatMap((pid) =>
    readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`)),
  );
  return listening
    .filter(([, , , , , , , , , inode]) => sockets.includes(`socket:[${inode}]`))
    .map(([, local]) => Number.parseInt(local!.split(':')[1]!, 16));
}
