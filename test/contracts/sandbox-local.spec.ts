import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandEnd, type Sandbox, type SandboxCommand } from '#libs/engine';
import { attemptIdOf, DEFAULT_TENANT, monotonicMs, type RunId } from '#libs/kernel';
import { hostEnvironment, LocalSandboxProvider } from '#libs/sandbox';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRunning, pidsIn, runnerFromSource, sandboxHost, type SandboxHost, until } from '../support/local-sandbox.js';
import { stretched } from '../support/stretched.js';

const MIB = 1024 * 1024;

describe('a local command', () => {
  const runId = '01J00000000000000000000001' as RunId;
  const idle = { signal: new AbortController().signal };
  let host: SandboxHost;
  let sandbox: Sandbox;
  let keepAlive: NodeJS.Timeout;
  let attempts = 0;

  beforeAll(async () => {
    host = await sandboxHost();
    const request = {
      tenantId: DEFAULT_TENANT,
      runId,
      bornAt: 'then',
      epoch: 1,
      env: { GREETING: 'hello', LANG: 'C.UTF-8' },
      leaseGoodAtMs: monotonicMs(),
    };
    sandbox = await host.provider().open({ ...request, sourceDirectory: host.workingDirectory });
    keepAlive = setInterval(() => sandbox.keepAlive(monotonicMs()), 1_000);
  });

  afterAll(async () => {
    clearInterval(keepAlive);
    await host.remove();
  });

  function run(script: string, more: Partial<SandboxCommand> = {}, onOutput?: (text: string) => void) {
    const attemptId = attemptIdOf(runId, 'stage@1', (attempts += 1), 1);
    const command: SandboxCommand = { attemptId, script, language: 'shell', timeoutMs: 30_000, ...more };
    return sandbox.run(command, onOutput ? { ...idle, onOutput } : idle);
  }

  const textOf = async (end: CommandEnd) => Buffer.from(await end.output.read()).toString();

  it('works in the source directory, with its variables and none of the service', async () => {
    const end = await run('pwd; echo $GREETING $OWN; echo ${RUNYARD_ATTEMPT_ID%/*}; env | grep -c JEST', {
      env: { OWN: 'own' },
    });
    expect(await textOf(end)).toBe(`${host.workingDirectory}\nhello own\n${runId}/stage@1/${attempts}\n0\n`);
  });

  it('is cancelled at whatever moment of its start the cancel comes', async () => {
    const ends = await Promise.all(
      Array.from({ length: 16 }, async (_, i) => {
        const controller = new AbortController();
        const attemptId = attemptIdOf(runId, 'stage@1', (attempts += 1), 1);
        const command: SandboxCommand = { attemptId, script: 'sleep 20', language: 'shell', timeoutMs: 30_000 };
        const ended = sandbox.run(command, { signal: controller.signal });
        setTimeout(() => controller.abort(), Math.floor(i / 2));
        return ended;
      }),
    );
    expect(ends.map(({ termination }) => termination)).toEqual(Array(16).fill('cancelled'));
  });

  it('runs python', async () => {
    const end = await run('import sys; print(1 + 1); sys.exit(7)', { language: 'python' });
    expect(end.exitCode).toBe(7);
    expect(await textOf(end)).toBe('2\n');
  });

  it('keeps the order of standard output and standard error, which have names', async () => {
    const end = await run('for i in 1 2 3; do echo out$i; echo err$i >&2; echo name$i > /dev/stderr; done');
    expect(await textOf(end)).toBe([1, 2, 3].map((i) => `out${i}\nerr${i}\nname${i}\n`).join(''));
  });

  it('keeps head and tail of 200 MB', async () => {
    const shown: string[] = [];
    const script = 'echo first; head -c 200000000 /dev/zero | tr "\\0" x; echo; echo last';
    const end = await run(script, {}, (text) => shown.push(text));
    expect(end.output).toMatchObject({ bytes: 200_000_012, truncated: true });
    expect(await end.output.tail(8)).toBe('xx\nlast\n');

    const kept = Buffer.from(await end.output.read());
    expect(kept.length).toBeLessThan(64 * MIB + 100);
    expect(kept.subarray(0, 7).toString()).toBe('first\nx');
    expect(kept.subarray(32 * MIB, 32 * MIB + 30).toString()).toBe(`\n[${200_000_012 - 64 * MIB} bytes left out]\nxx`);
    expect(kept.subarray(-7).toString()).toBe('x\nlast\n');
    expect(shown.join('').slice(-7)).toBe('x\nlast\n');
    expect(Math.max(...shown.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
  });

  it('makes text of bytes that are none', async () => {
    const shown: string[] = [];
    const script = `printf 'a\\000b\\377c'; printf '\\xf0\\x9f'; sleep 0.2; printf '\\x98\\x80\\xed\\xa0\\x80'`;
    const end = await run(script, {}, (text) => shown.push(text));
    expect(shown.join('')).toBe('a\ufffdb\ufffdc😀\ufffd\ufffd\ufffd');
    expect(await end.output.tail(7)).toBe('😀\ufffd\ufffd\ufffd');
    expect(await end.output.tail(6)).toBe('\ufffd\ufffd\ufffd');
    expect(end.output.bytes).toBe(12);
  });

  it('reads 1 MiB of input, also by name', async () => {
    const stdin = 'ä'.repeat(MIB / 2);
    expect((await run('cat', { stdin })).output.bytes).toBe(MIB);
    expect((await run('wc -c < /dev/stdin', { stdin })).exitCode).toBe(0);
    expect(await run('true', { stdin })).toMatchObject({ exitCode: 0 });
  });

  it('takes a script longer than an argument may be', async () => {
    expect(await textOf(await run(`: ${'x'.repeat(300_000)}\necho done`))).toBe('done\n');
  });

  it('has the exit code that a shell gives it when a signal ended it', async () => {
    expect(await run('kill -9 $$')).toMatchObject({ termination: 'exited', exitCode: 137 });
    expect(await run('kill -TERM $$')).toMatchObject({ termination: 'exited', exitCode: 143 });
  });

  it('kills after 5 s what ignores TERM', async () => {
    const end = await run(`trap '' TERM; while :; do sleep 0.05; done`, { timeoutMs: 100 });
    expect(end.termination).toBe('timed_out');
    expect(end.durationMs).toBeGreaterThan(5_000);
    expect(end.durationMs).toBeLessThan(stretched(7_000));
  }, 15_000);

  it('ends with its main process, and takes along what that left behind', async () => {
    const end = await run('sleep 60 & echo $!; (setsid sleep 60 & echo $!); (setsid sleep 60 >/dev/null & echo $!)');
    expect(end.durationMs).toBeLessThan(stretched(3_000));
    const pids = pidsIn(await textOf(end));
    expect(pids).toHaveLength(3);
    expect(await Promise.all(pids.map(isRunning))).toEqual([false, false, false]);
  });

  it('fails, and says why, when it cannot be started', async () => {
    const end = await run('print(1)', { language: 'python', env: { PATH: '/nowhere' } });
    expect(end).toMatchObject({ termination: 'exited', exitCode: 127 });
    expect(await textOf(end)).toContain('could not be started');
    expect(await run('echo a\u0000b')).toMatchObject({ termination: 'exited', exitCode: 126 });
  });

  it('lets others go on meanwhile', async () => {
    const noisy = run('timeout 1 yes');
    const ends = await Promise.all(Array.from({ length: 8 }, () => run('true')));
    expect(ends.map(({ exitCode }) => exitCode)).toEqual(Array(8).fill(0));
    expect((await noisy).exitCode).toBe(124);
  });

  it('leaves nothing when the run is removed', async () => {
    const running = run('echo $$; exec sleep 60').catch(() => undefined);
    const pid = await until(async () => pidsIn(await lastOutput())[0]);
    await sandbox.remove();
    await running;
    expect(await isRunning(pid)).toBe(false);
    expect(await readdir(join(host.stateDirectory, 'sandboxes', DEFAULT_TENANT))).toEqual([]);
    await expect(run('true')).rejects.toMatchObject({ code: 'sandbox_unavailable' });
  });

  async function lastOutput(): Promise<string> {
    const folder = join(host.stateDirectory, 'sandboxes', DEFAULT_TENANT, runId, 'then', '1', 'output');
    const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    return texts.find((text) => /^\d+\n$/.test(text)) ?? '';
  }
});

describe('a local sandbox on a host without perl', () => {
  it('runs commands without a reaper, and ends all that still shows whose it is', async () => {
    const host = await sandboxHost();
    const tools = join(host.workingDirectory, 'tools');
    await mkdir(tools);
    const { stdout: mkfifo } = await promisify(execFile)('sh', ['-c', 'command -v mkfifo']);
    await symlink(mkfifo.trim(), join(tools, 'mkfifo'));
    const provider = new LocalSandboxProvider({
      stateDirectory: host.stateDirectory,
      inheritedEnv: hostEnvironment(process.env),
      runner: { ...runnerFromSource(), searchPath: tools },
    });
    const runId = '01J00000000000000000000002' as RunId;
    try {
      const run = { tenantId: DEFAULT_TENANT, runId, bornAt: 'then', epoch: 1, env: {}, leaseGoodAtMs: monotonicMs() };
      const sandbox = await provider.open({ ...run, sourceDirectory: host.workingDirectory });
      const script = 'setsid sleep 60 & echo $!';
      const command = {
        attemptId: attemptIdOf(runId, 's@1', 1, 1),
        script,
        language: 'shell',
        timeoutMs: 9_000,
      } as const;
      const end = await sandbox.run(command, { signal: new AbortController().signal });
      const [left] = pidsIn(Buffer.from(await end.output.read()).toString());
      expect(end.exitCode).toBe(0);
      expect(await isRunning(left!)).toBe(false);
      await sandbox.remove();
    } finally {
      await provider.close();
      await host.remove();
    }
  });
});

describe('a local sandbox without a directory to work in', () => {
  it('says what to do', async () => {
    const host = await sandboxHost();
    const request = {
      tenantId: DEFAULT_TENANT,
      bornAt: 'then',
      runId: '01J00000000000000000000002' as RunId,
      epoch: 1,
      env: {},
      leaseGoodAtMs: monotonicMs(),
    };
    const provider = host.provider();
    for (const sourceDirectory of [null, join(host.workingDirectory, 'nowhere'), 'relative']) {
      await expect(provider.open({ ...request, sourceDirectory })).rejects.toMatchObject({
        code: 'working_directory_missing',
      });
    }
    await host.remove();
  });
});
