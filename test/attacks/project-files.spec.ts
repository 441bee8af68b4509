import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readOwnFile, readSettings } from '#libs/config';
import { runyard } from '../../apps/cli/src/program.js';
import { CapturedScreen } from '../support/cli/captured-screen.js';
import { testServer, type TestServer } from '../support/server.js';

const execute = promisify(execFile);

/** A second user of this machine: only root may act as one. */
const OTHER = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? it : it.skip;

const WORKFLOW = 'digraph W { start; exit; say [shape=parallelogram, script="echo mine"]; start -> say -> exit }';
const hookOf = (marker: string): string => `[[run.hooks]]\nevent = "run_start"\nscript = "id > ${marker}"\n`;

let server: TestServer;
beforeAll(async () => void (server = await testServer()));
afterAll(() => server.close());

/** A folder in which anybody may write, and in it one of the victim's with a workflow. */
let shared: string;
let own: string;
let marker: string;
beforeEach(async () => {
  shared = await mkdtemp(path.join(tmpdir(), 'runyard-attack-'));
  await chmod(shared, 0o777);
  own = path.join(shared, 'mine');
  marker = path.join(shared, 'ran');
  await mkdir(path.join(own, 'flows'), { recursive: true });
  await writeFile(path.join(own, 'flows', 'w.dot'), WORKFLOW);
});
afterEach(() => rm(shared, { recursive: true, force: true }));

/** What the other user does to this machine's files. */
async function attacker(script: string): Promise<void> {
  await execute('sh', ['-c', script], { cwd: shared, ...OTHER });
}

interface Typed {
  code: number;
  stdout: string;
  stderr: string;
}

/** What the victim types, in the folder of the workflow. */
function typed(...words: string[]): Promise<Typed> {
  return typedAt(path.join(shared, 'elsewhere'), ...words);
}

async function typedAt(userDirectory: string, ...words: string[]): Promise<Typed> {
  const env = {
    HOME: userDirectory,
    RUNYARD_HOME: path.join(own, 'home'),
    RUNYARD_SERVER: server.url,
    RUNYARD_TOKEN: server.caller.token!,
  };
  const screen = new CapturedScreen();
  const code = await runyard(words, { env, cwd: path.join(own, 'flows'), stdin: Readable.from([]), screen });
  return { code, ...screen.written };
}

async function writeProject(folder: string, source = hookOf(marker)): Promise<string> {
  const file = path.join(folder, '.runyard', 'project.toml');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, source);
  return file;
}

const hasRun = (): Promise<boolean> =>
  readFile(marker).then(
    () => true,
    () => false,
  );

async function expectRefused(place: string, reason: RegExp): Promise<void> {
  const { code, stderr } = await typed('run', 'w.dot');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(reason) });
  expect(stderr).toContain(place);
  expect(await hasRun()).toBe(false);
}

describe('V5: a project file planted above the directory', () => {
  asRoot('runs nothing as the user who types `run`, and is named (needs root for a second user)', async () => {
    await attacker(
      `umask 0; mkdir .runyard; printf '[[run.hooks]]\\nevent="run_start"\\nscript="id > ${marker}"\\n' > .runyard/project.toml`,
    );
    await chmod(shared, 0o755);
    await expectRefused(path.join(shared, '.runyard'), /belongs to somebody else \(user 65534, mode 0777\).*chown 0 /s);
  });

  asRoot('is not followed through a link of the other user either (needs root for a second user)', async () => {
    await attacker(`mkdir theirs; echo '_version = 1' > theirs/project.toml`);
    await chmod(shared, 0o755);
    await symlink(path.join(shared, 'theirs'), path.join(shared, '.runyard'));
    await expectRefused(path.join(shared, '.runyard'), /belongs to somebody else \(user 65534, mode 0755\)/);
  });

  it.each([
    ['the file', 0o666, ['.runyard', 'project.toml']],
    ['its folder', 0o777, ['.runyard']],
    ['the project', 0o777, []],
    ['the project, a sticky folder like /tmp', 0o1777, []],
  ])('is not obeyed where others may write to %s', async (_, mode, below) => {
    await writeProject(own);
    const place = path.join(own, ...below);
    await chmod(place, mode);
    await expectRefused(
      place,
      new RegExp(`can be written by others .*mode ${mode.toString(8).padStart(4, '0')}.*chmod go-w`),
    );
  });

  it('is not looked for above the home', async () => {
    await chmod(shared, 0o755);
    await writeProject(shared);
    const { code, stderr } = await typedAt(own, 'run', 'w.dot');
    expect({ code, mentions: stderr.includes('Project:') }).toEqual({ code: 0, mentions: false });
    expect(await hasRun()).toBe(false);
  });

  const mountable = isRoot && process.platform === 'linux' ? it : it.skip;
  mountable('is not looked for on another file system (needs root to mount one)', async () => {
    await chmod(shared, 0o755);
    await writeProject(shared);
    await execute('mount', ['-t', 'tmpfs', 'none', own]);
    try {
      await mkdir(path.join(own, 'flows'));
      await writeFile(path.join(own, 'flows', 'w.dot'), WORKFLOW);
      expect((await typed('run', 'w.dot')).code).toBe(0);
      expect(await hasRun()).toBe(false);
    } finally {
      await execute('umount', ['--lazy', own]);
    }
  });

  it('is obeyed where the user says that the folder is trusted, and nowhere else', async () => {
    const file = await writeProject(own, '_version = 1\n');
    await chmod(file, 0o666);
    const read = (...trusted: string[]): Promise<Uint8Array | undefined> =>
      readOwnFile(file, [own], { RUNYARD_TRUSTED_FOLDERS: trusted.join(path.delimiter) });
    for (const trusted of [[], [`${own}er`], [path.join(own, 'flows')], ['.']]) {
      await expect(read(...trusted)).rejects.toThrow('RUNYARD_TRUSTED_FOLDERS');
    }
    expect(await read(shared)).toBeDefined();
    expect(await read('/elsewhere', own)).toBeDefined();
  });

  it('of their own is obeyed, and named with its hooks', async () => {
    const file = await writeProject(
      own,
      `${hookOf(marker)}[[run.hooks]]\nevent = "run_complete"\nurl = "https://u:p4ss@hooks.invalid/x?t=Q"\n`,
    );
    const { code, stderr } = await typed('run', 'w.dot');
    expect(code).toBe(0);
    expect(stderr).toContain(`Project: ${file}\nHook at run_start: id > ${marker}`);
    expect(stderr).toContain('Hook at run_complete: https://hooks.invalid/x\n');
    expect(await hasRun()).toBe(true);
  });
});

describe('V5: a workflow.toml that somebody else put beside a workflow', () => {
  asRoot('is refused by name (needs root for a second user)', async () => {
    const folder = path.join(own, 'flows');
    await chmod(folder, 0o777);
    await attacker(
      `printf '[workflow]\\ngraph="w.dot"\\n[[run.hooks]]\\nevent="run_start"\\nscript="id > ${marker}"\\n' > ${folder}/workflow.toml`,
    );
    await chmod(folder, 0o755);
    await expectRefused(path.join(folder, 'workflow.toml'), /belongs to somebody else \(user 65534/);
  });

  it('is obeyed when it is their own', async () => {
    await writeFile(path.join(own, 'flows', 'workflow.toml'), `[workflow]\ngraph = "w.dot"\n${hookOf(marker)}`);
    expect((await typed('run', 'w.dot')).code).toBe(0);
    expect(await hasRun()).toBe(true);
  });
});

describe("V5: the user's settings", () => {
  it('are not read from a file that others may write, and are from one that they may not', async () => {
    const file = path.join(own, 'settings.toml');
    await writeFile(file, '_version = 1\n');
    await chmod(file, 0o646);
    await expect(readSettings(file)).rejects.toThrow(`${file} can be written by others`);
    await chmod(file, 0o644);
    expect(await readSettings(file)).toMatchObject({ _version: 1 });
  });
});

describe("V17: a repository's own settings", () => {
  const git = (...args: string[]) =>
    execute('git', ['-C', own, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args]);

  beforeEach(async () => {
    await git('init', '--quiet');
    await writeFile(path.join(own, 'notes.txt'), 'one');
    await git('add', '.');
    await git('commit', '--quiet', '-m', 'first');
  });

  it.each(['run', 'preflight', 'graph'])('execute nothing when %s asks what state it is in', async (command) => {
    const script = path.join(own, 'hook.sh');
    await writeFile(script, `#!/bin/sh\nid >> ${marker}\ncat\n`, { mode: 0o755 });
    await writeFile(path.join(own, '.gitattributes'), '*.txt filter=bad.name\n');
    for (const key of ['core.fsmonitor', 'filter.bad.name.clean', 'filter.bad.name.process', 'diff.external']) {
      await git('config', key, script);
    }
    await git('config', 'filter.bad.name.required', 'true');
    await mkdir(path.join(own, '.git', 'hooks'), { recursive: true });
    await writeFile(path.join(own, '.git', 'hooks', 'post-index-change'), `#!/bin/sh\nid >> ${marker}\n`, {
      mode: 0o755,
    });
    // Same size, another time: git has to read it.
    await writeFile(path.join(own, 'notes.txt'), 'two');
    expect((await typed(command, 'w.dot')).code).toBe(0);
    expect(await hasRun()).toBe(false);
  });

  it('do not keep the run from saying where its files are from', async () => {
    await writeFile(path.join(own, 'notes.txt'), 'changed');
    const { stdout } = await typed('create', 'w.dot', '--json');
    const { stdout: head } = await git('rev-parse', 'HEAD');
    const [created] = await server.caller.events((JSON.parse(stdout) as { id: string }).id);
    expect(created?.properties).toMatchObject({ git: { sha: head.trim(), dirty: 'dirty' } });
  });
});
