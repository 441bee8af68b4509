import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Sandbox, type SandboxCommand, type SandboxProvider } from '#libs/engine';
import { type AttemptId, attemptIdOf, DEFAULT_TENANT, monotonicMs, type RunId, type TenantId } from '#libs/kernel';
import { InMemorySandboxProvider, type ScriptedResult } from '../support/in-memory-sandbox.js';
import { sandboxHost } from '../support/local-sandbox.js';
import { runsInPlace } from '../support/runs-in-place.js';
import { stretched } from '../support/stretched.js';

/** What the scripts of this suite do; the fake plays it, the local provider runs the scripts themselves. */
const scripts: Record<string, ScriptedResult> = {
  'printf hello': { output: 'hello' },
  'printf oops >&2; exit 3': { output: 'oops', exitCode: 3 },
  cat: {},
  'sleep 60': { takesMs: Infinity },
  'sleep 0.3; printf done': { output: 'done', takesMs: 300 },
  'sleep 0.6; printf done': { output: 'done', takesMs: 600 },
};

interface Subject {
  /** Two worker processes on one host. */
  workers: [SandboxProvider, SandboxProvider];
  workingDirectory: string;
  remove(): Promise<void>;
}

const subjects: [string, () => Promise<Subject>][] = [
  [
    'in memory',
    async () => {
      const provider = new InMemorySandboxProvider(({ script }) => scripts[script]!);
      return { workers: [provider, provider], workingDirectory: '/', remove: () => provider.close() };
    },
  ],
  [
    'local',
    async () => {
      const host = await sandboxHost();
      const { workingDirectory } = host;
      return { workers: [host.provider(), host.provider()], workingDirectory, remove: () => host.remove() };
    },
  ],
];

describe.each(subjects)('a sandbox, %s', (_name, newSubject) => {
  const runId = '01J00000000000000000000000' as RunId;
  const FIRST = '2026-01-01T00:00:00.000001Z';
  const idle = { signal: new AbortController().signal };
  let subject: Subject;
  let attempts = 0;

  beforeEach(async () => (subject = await newSubject()));
  afterEach(() => subject.remove());

  async function open(epoch = 1, worker = 0, bornAt = FIRST): Promise<Sandbox> {
    const request = {
      tenantId: DEFAULT_TENANT,
      runId,
      bornAt,
      sourceDirectory: subject.workingDirectory,
      env: {},
      leaseGoodAtMs: monotonicMs(),
    };
    return subject.workers[worker]!.open({ ...request, epoch });
  }

  function aCommand(script: string, more: Partial<SandboxCommand> = {}): SandboxCommand {
    const attemptId = attemptIdOf(runId, 'stage@1', (attempts += 1), 1);
    return { attemptId, script, language: 'shell', timeoutMs: 30_000, ...more };
  }

  it('runs a command to its end and keeps what it wrote', async () => {
    const end = await (await open()).run(aCommand('printf hello'), idle);
    expect(end).toMatchObject({ termination: 'exited', exitCode: 0, output: { bytes: 5, truncated: false } });
    expect(await end.output.tail(4)).toBe('ello');
    expect(Buffer.from(await end.output.read()).toString()).toBe('hello');
  });

  it('reports the exit code and what was written to standard error', async () => {
    const end = await (await open()).run(aCommand('printf oops >&2; exit 3'), idle);
    expect(end).toMatchObject({ termination: 'exited', exitCode: 3 });
    expect(await end.output.tail(100)).toBe('oops');
  });

  it('hands the output on as it comes, and the input in', async () => {
    let seen = '';
    const observer = { ...idle, onOutput: (text: string) => void (seen += text) };
    await (await open()).run(aCommand('cat', { stdin: 'grüße\n' }), observer);
    expect(seen).toBe('grüße\n');
  });

  it('gives a command without input an empty one', async () => {
    expect(await (await open()).run(aCommand('cat'), idle)).toMatchObject({ exitCode: 0, output: { bytes: 0 } });
  });

  it('ends a command at its time limit, without an exit code', async () => {
    const end = await (await open()).run(aCommand('sleep 60', { timeoutMs: 200 }), idle);
    expect(end.termination).toBe('timed_out');
    expect(end.exitCode).toBeUndefined();
    expect(end.durationMs).toBeLessThan(stretched(5_000));
  });

  it('cancels a command, before and after it started', async () => {
    const sandbox = await open();
    const controller = new AbortController();
    const running = sandbox.run(aCommand('sleep 60'), { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    expect(await running).toMatchObject({ termination: 'cancelled' });
    expect(await sandbox.run(aCommand('sleep 60'), { signal: controller.signal })).toMatchObject({
      termination: 'cancelled',
    });
  });

  it('runs one attempt once', async () => {
    const sandbox = await open();
    const command = aCommand('printf hello');
    await sandbox.run(command, idle);
    await expect(sandbox.run(command, idle)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
  });

  it('gives the next epoch the recorded end, the end to come, or nothing', async () => {
    const first = await open(1, 0);
    const [ended, running] = [aCommand('printf hello'), aCommand('sleep 0.3; printf done')];
    await first.run(ended, idle);
    const firstEnd = first.run(running, idle).catch(() => undefined);
    await untilStarted();

    const second = await open(2, 1);
    expect(await second.adopt([ended.attemptId], idle)).toMatchObject({ exitCode: 0, output: { bytes: 5 } });
    const end = await second.adopt([running.attemptId], idle);
    expect(end).toMatchObject({ termination: 'exited', exitCode: 0 });
    expect(await end!.output.tail(100)).toBe('done');
    expect(await second.adopt(['never/seen@1/1/1' as AttemptId], idle)).toBeUndefined();
    await firstEnd;
  });

  it('lets a third epoch go on with what the second one had adopted, by whatever name it was begun', async () => {
    const first = await open(1, 0);
    const begun = aCommand('sleep 0.6; printf done');
    const firstEnd = first.run(begun, idle).catch(() => undefined);
    await untilStarted();
    const unbegun = aCommand('printf hello').attemptId;
    const secondEnd = (await open(2, 1)).adopt([begun.attemptId], idle).catch(() => undefined);

    const third = await open(3, 0);
    const end = await third.adopt([unbegun, begun.attemptId], idle);
    expect(end).toMatchObject({ termination: 'exited', exitCode: 0 });
    expect(await end!.output.tail(100)).toBe('done');
    await Promise.all([firstEnd, secondEnd]);

    await third.run({ ...begun, attemptId: unbegun, script: 'printf hello' }, idle);
    const newest = await (await open(4, 1)).adopt([unbegun, begun.attemptId], idle);
    expect(await newest!.output.tail(100)).toBe('hello');
  });

  it('refuses the epoch that lost the run, at once and when it opens again', async () => {
    const first = await open(1, 0);
    await open(2, 1);
    await expect(first.run(aCommand('printf hello'), idle)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(open(1, 0)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('cancels nothing once it is released, and tells at once whoever followed a command', async () => {
    const controller = new AbortController();
    const command = aCommand('sleep 0.6; printf done');
    const first = await open(1, 0);
    const left = expect(first.run(command, controller)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    await untilStarted();
    await first.release();
    controller.abort();
    await left;
    const end = await (await open(2, 0)).adopt([command.attemptId], idle);
    expect(end).toMatchObject({ termination: 'exited', exitCode: 0 });
    expect(await end!.output.tail(100)).toBe('done');
  });

  it('sweeps what earlier epochs left, and spares what was adopted', async () => {
    const first = await open(1, 0);
    const [left, kept] = [aCommand('sleep 60'), aCommand('sleep 60')];
    const lost = expect(first.run(left, idle)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    const followed = first.run(kept, idle);
    await untilStarted();

    const second = await open(2, 1);
    const controller = new AbortController();
    const adopted = second.adopt([kept.attemptId], { signal: controller.signal });
    await second.sweep();
    await lost;
    expect(await second.adopt([left.attemptId], idle)).toBeUndefined();

    controller.abort();
    expect(await adopted).toMatchObject({ termination: 'cancelled' });
    expect(await followed).toMatchObject({ termination: 'cancelled' });
  });

  it('is told of while it is in place, and not taken away from a later epoch', async () => {
    const [provider] = subject.workers;
    expect(await runsInPlace(provider)).toEqual([]);
    const runs = [
      { tenantId: DEFAULT_TENANT, runId, bornAt: FIRST },
      { tenantId: '../odd tenant/%' as TenantId, runId, bornAt: FIRST },
    ];
    for (const run of runs) {
      const request = {
        ...run,
        sourceDirectory: subject.workingDirectory,
        env: {},
        epoch: 2,
        leaseGoodAtMs: monotonicMs(),
      };
      await (await subject.workers[1].open(request)).release();
    }
    expect((await runsInPlace(provider)).toSorted((a, b) => (a.tenantId < b.tenantId ? 1 : -1))).toEqual(runs);

    await expect(provider.remove({ ...runs[0]!, epoch: 1 })).rejects.toMatchObject({ kind: 'unavailable' });
    await provider.remove({ ...runs[1]!, epoch: 2 });
    await provider.remove({ ...runs[1]!, epoch: 2 });
    expect(await runsInPlace(provider)).toEqual([runs[0]]);
  });

  it('takes nothing from a later epoch that opens the run while an earlier one removes it', async () => {
    for (let epoch = 1; epoch < 12; epoch += 1) {
      const sandbox = await open(epoch, epoch % 2);
      await sandbox.run(aCommand('printf hello'), idle);
      const removed = sandbox.remove().catch((error: unknown) => error);
      await new Promise((resolve) => setTimeout(resolve, epoch / 2));
      const next = await open(epoch + 1, (epoch + (epoch % 3 ? 1 : 0)) % 2);
      const ends = next.run(aCommand('sleep 0.3; printf done'), idle);
      expect([undefined, 'sandbox_unavailable']).toContain(((await removed) as { code?: string } | undefined)?.code);
      const end = await ends;
      expect([end.exitCode, await end.output.tail(10)]).toEqual([0, 'done']);
      expect(await (await next.run(aCommand('cat', { stdin: 'in' }), idle)).output.tail(10)).toBe('in');
      await next.release();
    }
    await subject.workers[0].remove({ tenantId: DEFAULT_TENANT, runId, bornAt: FIRST, epoch: 12 });
    expect(await runsInPlace(subject.workers[0])).toEqual([]);
  });

  it('is that of one run, and of none with the same id before it', async () => {
    const first = await open(2, 0);
    const command = aCommand('printf hello');
    await first.run(command, idle);
    await first.release();

    const later = '2026-01-02T00:00:00.000001Z';
    const second = await open(1, 1, later);
    expect(await second.adopt([command.attemptId], idle)).toBeUndefined();
    expect(await second.run(command, idle)).toMatchObject({ exitCode: 0 });
    await subject.workers[1].remove({ tenantId: DEFAULT_TENANT, runId, bornAt: FIRST, epoch: 2 });
    expect(await runsInPlace(subject.workers[1])).toEqual([{ tenantId: DEFAULT_TENANT, runId, bornAt: later }]);
    await second.remove();
    expect(await runsInPlace(subject.workers[1])).toEqual([]);
  });

  it('is in place again after a release, and gone after a removal, however often', async () => {
    const first = await open(1);
    const command = aCommand('printf hello');
    await first.run(command, idle);
    await first.release();
    const second = await open(2, 1);
    expect(second.instance).toEqual(first.instance);
    second.keepAlive(monotonicMs());
    expect(await second.adopt([command.attemptId], idle)).toMatchObject({ exitCode: 0 });

    await second.remove();
    await second.remove();
    await subject.workers[0].remove({ tenantId: DEFAULT_TENANT, runId, bornAt: FIRST, epoch: 2 });
    expect(await (await open(3)).adopt([command.attemptId], idle)).toBeUndefined();
  });
});

/** Long enough for a command to be under way, whichever provider runs it. */
function untilStarted(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 150));
}
