import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readServerRecord } from '#libs/config';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command, workflow } from '../support/api-caller.js';
import { isRunning, pidsIn } from '../support/local-sandbox.js';
import { serverHome, testBuild, type ServerHome } from '../support/standalone.js';
import { until } from '../support/until.js';

/** Five seconds for its runs, and five to end itself. */
const END_WITHIN_MS = 10_000;

const build = testBuild();
let place: ServerHome;

beforeEach(async () => {
  place = await serverHome();
});
afterEach(() => place.remove());

const noted = async (file: string): Promise<string> => readFile(join(place.directory, file), 'utf8').catch(() => '');

async function postgresPid(): Promise<number> {
  return Number((await readFile(join(place.home.database, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

describe('a standalone server that is killed in the middle of a run', () => {
  it('adopts its PostgreSQL at the next start, and the run goes on to its end', async () => {
    const source = workflow(`${command('a', 'echo a >> ledger')} ${command('b', 'echo b >> ledger; sleep 2')}
      ${command('c', 'echo c >> ledger')} start -> a -> b -> c -> exit`);
    const { server, caller } = await place.serving(build.program);
    const { id } = await caller.begin(source);
    const waiting = await caller.create(workflow('start -> exit'));
    await until(async () => (await noted('ledger')) === 'a\nb\n', 'the second command is at work', 10_000);
    const postgres = await postgresPid();
    await server.kill();
    expect(await isRunning(postgres)).toBe(true);

    const again = await place.serving(build.program);
    const run = await again.caller.ends(id, 20_000);
    expect(run.lifecycle.status).toEqual({ kind: 'succeeded', reason: 'completed' });
    expect(await postgresPid()).toBe(postgres);
    expect(await noted('ledger')).toBe('a\nb\nc\n');
    expect((await again.caller.get(waiting.id)).lifecycle.status).toEqual({ kind: 'submitted' });
  });

  it('starts again after PostgreSQL was killed too', async () => {
    const { server, caller } = await place.serving(build.program);
    const { id } = await caller.begin(workflow(`${command('nap', 'sleep 1')} start -> nap -> exit`));
    process.kill(await postgresPid(), 'SIGKILL');
    await server.kill();

    const again = await place.serving(build.program);
    expect((await again.caller.ends(id, 20_000)).lifecycle.status.kind).toBe('succeeded');
  });
});

describe('a standalone server in the background', () => {
  it('is started once, outlives the command that started it, and is stopped by name', async () => {
    const runyard = async (...args: string[]): Promise<{ code: number | string; output: string }> => {
      const typed = place.start(build.main('cli'), ['server', ...args, '--json']);
      return { code: await typed.gone(60_000), output: typed.output };
    };
    const [first, second] = [await runyard('start', '--detach'), await runyard('start', '-d')];
    expect([first.code, second.code, second.output]).toEqual([0, 0, first.output]);
    const { pid, url } = JSON.parse(first.output) as { pid: number; url: string };
    expect([await isRunning(pid), (await fetch(`${url}/health`)).status]).toEqual([true, 200]);
    expect(await runyard('stop')).toMatchObject({ code: 0 });
    expect(await place.processes()).toEqual([]);
  });
});

describe('a standalone server that is asked to end', () => {
  it('leaves no process behind, and what it cut off is repeated at the next start', async () => {
    const { server, caller } = await place.serving(build.program);
    const script = 'echo $$ >> pids; if [ -e second ]; then exit 0; fi; touch second; sleep 60';
    const { id } = await caller.begin(workflow(`${command('long', script)} start -> long -> exit`));
    await until(async () => pidsIn(await noted('pids')).length === 1, 'the command is at work', 10_000);
    const [pid] = pidsIn(await noted('pids'));

    server.signal('SIGTERM');
    expect(await server.gone(20_000)).toBe(0);
    expect(await place.processes()).toEqual([]);
    expect(await isRunning(pid!)).toBe(false);
    expect(existsSync(place.home.socket)).toBe(false);
    expect(await readServerRecord(place.home)).toBeUndefined();

    const again = await place.serving(build.program);
    expect((await again.caller.ends(id, 5_000)).lifecycle.status.kind).toBe('succeeded');
    expect(pidsIn(await noted('pids'))).toHaveLength(2);
  });

  it('ends within its grace though a pause is on its way', async () => {
    const { server, caller } = await place.serving(build.program);
    const { id } = await caller.begin(workflow(`${command('nap', 'sleep 2')} start -> nap -> exit`));
    await caller.logs(id, 'command.started');
    await caller.pause(id);
    server.signal('SIGTERM');
    expect(await server.gone(END_WITHIN_MS)).toBe(0);

    const again = await place.serving(build.program);
    await again.caller.reaches(id, 'paused', 15_000);
    await again.caller.unpause(id);
    expect((await again.caller.ends(id, 20_000)).lifecycle.status.kind).toBe('succeeded');
  });

  it('leaves no process behind when it is asked while it starts', async () => {
    const server = place.start(build.program);
    await until(() => existsSync(join(place.home.database, 'postmaster.pid')), 'PostgreSQL is starting', 30_000);
    server.signal('SIGINT');
    expect(await server.gone(30_000)).toBe(0);
    expect(await place.processes()).toEqual([]);
  });
});

describe('a home', () => {
  it('is served by one server: a second one names it and ends, and the first goes on', async () => {
    const { server, caller } = await place.serving(build.program);
    const second = place.start(build.program);
    expect(await second.gone(20_000)).toBe(1);
    expect(second.output).toContain(`(process ${server.pid},`);
    expect(second.output).toContain(`already serves ${place.home.directory}.`);
    expect(second.output).not.toContain('    at ');
    expect((await caller.finish(workflow('start -> exit'))).lifecycle.status.kind).toBe('succeeded');
  });

  it('is served by one server when two start at the same moment', async () => {
    const both = [place.start(build.program), place.start(build.program)];
    await until(
      () => both.some(({ exit }) => exit !== undefined) && both.some(({ output }) => output.includes('is ready')),
      `one server gives way to the other:\n${both.map(({ output }) => output).join('\n')}`,
      60_000,
    );
    const loser = both.find(({ exit }) => exit !== undefined)!;
    const winner = both.find(({ exit }) => exit === undefined)!;
    expect(loser.exit).toBe(1);
    expect(loser.output).toContain(`already serves ${place.home.directory}.`);
    expect((await readServerRecord(place.home))?.pid).toBe(winner.pid);
  });

  it('that is a file is refused by name', async () => {
    await rm(place.home.directory, { recursive: true });
    await writeFile(place.home.directory, 'not a directory');
    const server = place.start(build.program);
    expect(await server.gone(20_000)).toBe(1);
    expect(server.output).toContain(`The state directory ${place.home.directory} cannot be written to:`);
    expect(server.output).not.toContain('    at ');
  });

  it('is left in order by a server that cannot start', async () => {
    const server = place.start(build.program, ['--bind', join(place.home.directory, 'no', 'such', 'place.sock')]);
    expect(await server.gone(30_000)).toBe(1);
    expect(server.output).toContain('place.sock');
    expect(await place.processes()).toEqual([]);
  });

  const itAsUser = process.getuid?.() === 0 ? it.skip : it;
  itAsUser('that is read-only is refused by name', async () => {
    await chmod(place.home.directory, 0o500);
    const server = place.start(build.program);
    expect(await server.gone(20_000)).toBe(1);
    expect(server.output).toContain(`The state directory ${place.home.directory} cannot be written to:`);
    await chmod(place.home.directory, 0o700);
  });

  it('whose settings cannot be read is refused with the line', async () => {
    await mkdir(place.home.directory, { recursive: true });
    await writeFile(place.home.settings, '[server\n');
    const server = place.start(build.program);
    expect(await server.gone(20_000)).toBe(1);
    expect(server.output).toContain(place.home.settings);
    expect(server.output).not.toContain('    at ');
  });
});
