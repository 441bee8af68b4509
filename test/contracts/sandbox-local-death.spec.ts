import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Sandbox, type SandboxCommand, type SandboxRequest } from '#libs/engine';
import { attemptIdOf, DEFAULT_TENANT, monotonicMs, type RunId } from '#libs/kernel';
import { type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning, pidsIn, runnersOf, sandboxHost, type SandboxHost, until } from '../support/local-sandbox.js';

describe('a local sandbox, when processes die', () => {
  const runId = '01J00000000000000000000003' as RunId;
  const idle = { signal: new AbortController().signal };
  let host: SandboxHost;
  let attempts = 0;
  let request: Omit<SandboxRequest, 'epoch' | 'leaseGoodAtMs'>;

  beforeEach(async () => {
    host = await sandboxHost();
    request = { tenantId: DEFAULT_TENANT, runId, bornAt: 'then', sourceDirectory: host.workingDirectory, env: {} };
  });
  afterEach(() => host.remove());

  function aCommand(script: string): SandboxCommand {
    const attemptId = attemptIdOf(runId, 'stage@1', (attempts += 1), 1);
    return { attemptId, script, language: 'shell', timeoutMs: 60_000 };
  }

  /** A command that writes down the pids of its tree, one of which has left its session, and goes on for a minute. */
  const lasting = () => aCommand('setsid sleep 60 & echo $! > pids; echo $$ >> pids; sleep 60');

  /** The pids, once the command has written them. */
  function started(): Promise<number[]> {
    return until(async () => {
      const path = join(host.workingDirectory, 'pids');
      const pids = existsSync(path) ? pidsIn(await readFile(path, 'utf8')) : [];
      return pids.length === 2 && pids;
    });
  }

  const areDead = async (pids: number[]) => !(await Promise.all(pids.map(isRunning))).includes(true);

  async function killedWorker(command: SandboxCommand): Promise<ChildProcess> {
    const worker = host.worker({ ...request, epoch: 1, leaseGoodAtMs: monotonicMs() }, command);
    await started();
    worker.kill('SIGKILL');
    return worker;
  }

  async function open(epoch: number, leaseGoodAtMs = monotonicMs()): Promise<Sandbox> {
    return host.provider().open({ ...request, epoch, leaseGoodAtMs });
  }

  it('does not know how a command ended when the runner dies, and leaves nothing of it to the next epoch', async () => {
    const first = await open(1);
    const lost = expect(first.run(lasting(), idle)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    const pids = await started();
    const [runner] = await runnersOf(host.stateDirectory);
    process.kill(runner!, 'SIGKILL');
    await lost;

    const second = await open(2);
    await second.sweep();
    expect(await areDead(pids)).toBe(true);
  });

  it('goes on in the same epoch with another runner, after the rest of the dead one', async () => {
    const sandbox = await open(1);
    const command = lasting();
    const lost = expect(sandbox.run(command, idle)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    const pids = await started();
    const [runner] = await runnersOf(host.stateDirectory);
    process.kill(runner!, 'SIGKILL');
    await lost;

    expect(await sandbox.run(aCommand('exit 4'), idle)).toMatchObject({ exitCode: 4 });
    expect(await areDead(pids)).toBe(true);
    expect(await sandbox.adopt([command.attemptId], idle)).toBeUndefined();
  });

  it('hands the command of a killed worker to the next one', async () => {
    const command = aCommand('echo early; echo $$ $$ | tr " " "\\n" > pids; sleep 1.5; echo late; exit 5');
    await killedWorker(command);

    const second = await open(2);
    let seen = '';
    const end = await second.adopt([command.attemptId], { ...idle, onOutput: (text) => (seen += text) });
    expect(end).toMatchObject({ termination: 'exited', exitCode: 5 });
    expect(seen).toBe('early\nlate\n');
    expect(await (await open(3)).adopt([command.attemptId], idle)).toMatchObject({ exitCode: 5 });
  }, 20_000);

  it('does not let a worker that lost the run cancel what the next one goes on with', async () => {
    const command = aCommand('echo $$ $$ | tr " " "\\n" > pids; sleep 1.5; exit 5');
    const leaving = new AbortController();
    const first = (await open(1)).run(command, leaving).catch(() => undefined);
    await started();
    const adopted = (await open(2)).adopt([command.attemptId], idle);
    await new Promise((resolve) => setTimeout(resolve, 300));
    leaving.abort();
    expect(await adopted).toMatchObject({ termination: 'exited', exitCode: 5 });
    await first;
  }, 20_000);

  it('leaves what works in it to the next epoch of the same worker', async () => {
    const provider = host.provider();
    const leaving = new AbortController();
    const command = aCommand('echo begin >> ledger; echo $$ $$ | tr " " "\\n" > pids; sleep 1.5; exit 5');
    const old = await provider.open({ ...request, epoch: 1, leaseGoodAtMs: monotonicMs() });
    const first = expect(old.run(command, leaving)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    await started();
    await old.release();
    leaving.abort();
    await first;
    const next = await provider.open({ ...request, epoch: 2, leaseGoodAtMs: monotonicMs() });
    expect(await next.adopt([command.attemptId], idle)).toMatchObject({ termination: 'exited', exitCode: 5 });
    expect(await readFile(join(host.workingDirectory, 'ledger'), 'utf8')).toBe('begin\n');
  }, 20_000);

  it('lets the next worker kill what a killed one started', async () => {
    await killedWorker(lasting());
    const pids = await started();
    const second = await open(2);
    await second.sweep();
    expect(await areDead(pids)).toBe(true);
  }, 20_000);

  it('lets go of a command that is cancelled while its runner hangs, and kills both when it is removed', async () => {
    const sandbox = await open(1);
    const cancelled = new AbortController();
    const left = expect(sandbox.run(lasting(), cancelled)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    const pids = await started();
    const [runner] = await runnersOf(host.stateDirectory);
    process.kill(runner!, 'SIGSTOP');
    const cancelledMs = performance.now();
    cancelled.abort();
    await left;
    expect(performance.now() - cancelledMs).toBeLessThan(25_000);
    await sandbox.remove();
    expect(await areDead([runner!, ...pids])).toBe(true);
  }, 80_000);

  it('kills a runner that hangs before it goes on', async () => {
    const first = await open(1);
    const command = lasting();
    const lost = expect(first.run(command, idle)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    const pids = await started();
    const [runner] = await runnersOf(host.stateDirectory);
    process.kill(runner!, 'SIGSTOP');

    const second = await open(2);
    await lost;
    expect(await isRunning(runner!)).toBe(false);
    expect(await second.adopt([command.attemptId], idle)).toBeUndefined();
    expect(await areDead(pids)).toBe(true);
  }, 20_000);

  it('kills everything of a run 8 s after its own lease was last known to be good', async () => {
    const former = await open(1);
    const feeding = setInterval(() => former.keepAlive(monotonicMs() + 60_000), 100);
    const sandbox = await open(2);
    const goodAtMs = monotonicMs();
    sandbox.keepAlive(goodAtMs);
    await expect(sandbox.run(lasting(), idle)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    const tookMs = monotonicMs() - goodAtMs;
    expect(tookMs).toBeGreaterThanOrEqual(8_000);
    expect(tookMs).toBeLessThan(9_000);
    expect(await areDead(await started())).toBe(true);
    await expect(sandbox.run(aCommand('true'), idle)).rejects.toMatchObject({ code: 'sandbox_unavailable' });

    sandbox.keepAlive(monotonicMs());
    expect(await sandbox.run(aCommand('true'), idle)).toMatchObject({ exitCode: 0 });
    clearInterval(feeding);
  }, 20_000);

  it('counts these 8 s from the last sign of a good lease, however late it is opened', async () => {
    const goodAtMs = monotonicMs() - 5_000;
    const sandbox = await open(1, goodAtMs);
    await expect(sandbox.run(lasting(), idle)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    expect(monotonicMs() - goodAtMs).toBeLessThan(9_000);
    expect(await areDead(await started())).toBe(true);
  }, 20_000);

  it('ends its runner, and what that runs, with the provider', async () => {
    const provider = host.provider();
    const sandbox = await provider.open({ ...request, epoch: 1, leaseGoodAtMs: monotonicMs() });
    const lost = expect(sandbox.run(lasting(), idle)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    const pids = await started();
    const [runner] = await runnersOf(host.stateDirectory);
    await provider.close();
    await lost;
    expect(await areDead(pids)).toBe(true);
    await until(async () => !(await isRunning(runner!)), 2_000);
  });

  it('ends the runner of a killed worker once nobody needs it', async () => {
    await killedWorker(lasting());
    const pids = await started();
    const [runner] = await runnersOf(host.stateDirectory);
    await until(() => areDead(pids), 9_000);
    await until(async () => !(await isRunning(runner!)), 12_000);
  }, 30_000);
});
