import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { RunningWorker } from '../../apps/worker/src/index.js';
import { ApiCaller, command, workflow, type EventEnvelope } from '../support/api-caller.js';
import { faultsIn } from '../support/checker.js';
import { startWorkerProcess, type TestProcess } from '../support/processes.js';
import { testServer, type TestServer } from '../support/server.js';
import { stretched } from '../support/stretched.js';
import { until } from '../support/until.js';
import type { SignalPoint } from '../support/worker-process.js';

/** A death is seen well before the lease of 10 s ends. */
const DEATH_IS_SEEN_WITHIN_MS = 5_000;

/** Writes down which attempt of which stage is at work. */
const NOTE = 'echo "$RUNYARD_ATTEMPT_ID" >> ledger';

let server: TestServer;
let caller: ApiCaller;
const victims: TestProcess[] = [];

beforeAll(async () => {
  server = await testServer({ limit: 8, worker: false });
});
beforeEach(async () => {
  const directory = await mkdtemp(join(server.host.workingDirectory, 'work-'));
  caller = new ApiCaller(server.url, server.caller.token, directory);
});
afterAll(async () => {
  await Promise.all(victims.map((victim) => victim.kill()));
  await server.close();
});

async function aVictim(at?: SignalPoint): Promise<TestProcess> {
  const { databaseUrl, limit, host } = server;
  const { stateDirectory } = host;
  const victim = await startWorkerProcess({ databaseUrl, limit, stateDirectory, ...(at && { at }) });
  victims.push(victim);
  return victim;
}

async function withAnotherWorker(work: (worker: RunningWorker) => Promise<void>): Promise<void> {
  const worker = await server.startWorker();
  try {
    await work(worker);
  } finally {
    await worker.stop(1_000);
  }
}

/** The attempts whose commands ran, in order, without the run: `b@1/1/2` is stage b@1, attempt 1, epoch 2. */
async function ledger(directory = caller.directory): Promise<string[]> {
  const text = await readFile(join(directory, 'ledger'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((attempt) => attempt.slice(attempt.indexOf('/') + 1));
}

const stagesOf = (attempts: readonly string[]): string[] => attempts.map((attempt) => attempt.split('/')[0]!);

/** The attempts a log tells of, in the form of the ledger. */
function attemptsOf(events: readonly EventEnvelope[], stageId: string): string[] {
  return events
    .filter(({ event, stage_id }) => event === 'stage.started' && stage_id === stageId)
    .map(({ properties }) => String(properties?.attempt_id).slice(27));
}

const check = (): Promise<string[]> =>
  faultsIn(server.databaseUrl, { views: server.platform.views, limit: server.limit });

/** How long the run stood still after this moment, until a worker of a later epoch said something. */
function standstillMs(events: readonly EventEnvelope[], sinceMs: number): number {
  const claims = events.filter(({ event }) => event === 'run.claimed');
  return Date.parse(claims.at(-1)!.ts) - sinceMs;
}

describe('a worker that is killed', () => {
  //  start -> a -> b -> c -> exit
  const three = workflow(
    `${['a', 'b', 'c'].map((id) => command(id, `${NOTE}; echo ${id}`)).join(' ')} start -> a -> b -> c -> exit`,
  );

  it.each([
    { moment: 'when it has just claimed a run', point: 'run_claimed', attempts: 1 },
    { moment: 'once the start of a stage is stored', point: 'stage_start_appended', stageId: 'b@1', attempts: 2 },
    { moment: 'just before a command starts', point: 'before_execute', stageId: 'b@1', attempts: 2 },
    { moment: 'while a command is at work', point: 'executing', stageId: 'b@1', attempts: 2 },
    { moment: 'when a command has ended and nobody knows', point: 'after_execute', stageId: 'b@1', attempts: 2 },
    { moment: 'when what a command said is kept, and not its end', point: 'values_kept', stageId: 'b@1', attempts: 2 },
    { moment: 'once the outcome of a command is stored', point: 'outcome_appended', after: 2, attempts: 1 },
    {
      moment: 'once an outcome and the next start are stored',
      point: 'stage_start_appended',
      stageId: 'c@1',
      attempts: 1,
    },
    { moment: 'when everything is done but the end is not stored', point: 'before_release', attempts: 1 },
  ] as const)('$moment is followed by another one, and every command ran once', async ({ attempts, ...at }) => {
    const victim = await aVictim({ ...at, signal: 'SIGKILL' });
    const { id } = await caller.begin(three);
    expect(await victim.gone()).toBe('SIGKILL');
    const diedAtMs = Date.now();

    await withAnotherWorker(async () => {
      const run = await caller.ends(id, 15_000);
      expect(run.lifecycle.status).toEqual({ kind: 'succeeded', reason: 'completed' });
    });
    const events = await caller.events(id);
    expect(stagesOf(await ledger())).toEqual(['a@1', 'b@1', 'c@1']);
    expect(attemptsOf(events, 'b@1')).toHaveLength(attempts);
    expect(standstillMs(events, diedAtMs)).toBeLessThan(stretched(DEATH_IS_SEEN_WITHIN_MS));
    expect(await check()).toEqual([]);
  });

  it('leaves a long command at work, and the next worker goes on with it', async () => {
    const source = workflow(`${command('long', `${NOTE}; sleep 3; ${NOTE}; echo done`)} start -> long -> exit`);
    const victim = await aVictim();
    const { id } = await caller.begin(source);
    await until(async () => (await ledger()).length === 1, 'the command is at work', 10_000);
    await withAnotherWorker(async () => {
      const killedAtMs = Date.now();
      await victim.kill();
      expect((await caller.ends(id, 15_000)).lifecycle.status.kind).toBe('succeeded');
      expect(standstillMs(await caller.events(id), killedAtMs)).toBeLessThan(stretched(DEATH_IS_SEEN_WITHIN_MS));
    });
    expect(await ledger()).toEqual(['long@1/1/1', 'long@1/1/1']);
    const ended = await caller.logs(id, 'command.completed');
    expect(ended.properties).toMatchObject({ output: 'done\n', exit_code: 0 });
    expect(await check()).toEqual([]);
  });
});

describe('two workers that are killed one after the other', () => {
  it.each(['before_execute', 'executing'] as const)(
    'while one command is at work, the second at %s: the third goes on with it',
    async (point) => {
      const script = `${NOTE}; until [ -e go ]; do sleep 0.1; done; ${NOTE}; echo done`;
      const first = await aVictim();
      const { id } = await caller.begin(workflow(`${command('long', `echo begun; ${script}`)} start -> long -> exit`));
      await until(async () => (await ledger()).length === 1, 'the command is at work', 10_000);
      const second = await aVictim({ point, stageId: 'long@1', signal: 'SIGKILL' });
      await first.kill();
      expect(await second.gone(15_000)).toBe('SIGKILL');

      await withAnotherWorker(async () => {
        await until(async () => attemptsOf(await caller.events(id), 'long@1').length === 3, 'a third takes it', 10_000);
        await writeFile(join(caller.directory, 'go'), '');
        expect((await caller.ends(id, 15_000)).lifecycle.status.kind).toBe('succeeded');
      });
      expect(await ledger()).toEqual(['long@1/1/1', 'long@1/1/1']);
      const ended = await caller.logs(id, 'command.completed');
      expect(ended.properties).toMatchObject({ output: 'begun\ndone\n', exit_code: 0 });
      expect(await check()).toEqual([]);
    },
  );
});

describe('a worker that is asked to end', () => {
  it('finishes the command at hand and leaves the rest of the run to the next one', async () => {
    const source = workflow(`${command('a', `${NOTE}; sleep 1`)} ${command('b', NOTE)} start -> a -> b -> exit`);
    const victim = await aVictim();
    const { id } = await caller.begin(source);
    await until(async () => (await ledger()).length === 1, 'the command is at work', 10_000);
    victim.signal('SIGTERM');
    expect(await victim.gone()).toBe(0);
    expect(await ledger()).toEqual(['a@1/1/1']);
    expect((await caller.get(id)).lifecycle.status.kind).toBe('running');

    await withAnotherWorker(async () => {
      expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
    });
    expect(await ledger()).toEqual(['a@1/1/1', 'b@1/1/2']);
    expect((await caller.events(id)).filter(({ event }) => event === 'run.claimed')).toHaveLength(1);
    expect(await check()).toEqual([]);
  });

  it('is gone within three seconds when it has nothing to do', async () => {
    const victim = await aVictim();
    const askedAtMs = performance.now();
    victim.signal('SIGTERM');
    expect(await victim.gone()).toBe(0);
    expect(performance.now() - askedAtMs).toBeLessThan(stretched(3_000));
  });

  it('takes no further run, cuts off what outlasts its grace, and the next worker repeats that', async () => {
    const script = `${NOTE}; if [ -e second ]; then exit 0; fi; touch second; sleep 60`;
    const victim = await aVictim();
    const { id } = await caller.begin(workflow(`${command('long', script)} start -> long -> exit`));
    await until(async () => (await ledger()).length === 1, 'the command is at work', 10_000);
    victim.signal('SIGTERM');
    const late = await caller.begin(workflow('start -> exit'));
    expect(await victim.gone(10_000)).toBe(0);
    expect((await caller.get(late.id)).lifecycle.status.kind).toBe('starting');

    await withAnotherWorker(async () => {
      for (const run of [id, late.id]) expect((await caller.ends(run, 15_000)).lifecycle.status.kind).toBe('succeeded');
    });
    expect(await ledger()).toEqual(['long@1/1/1', 'long@1/1/2']);
    expect(await check()).toEqual([]);
  });

  it('ends at once when it is asked again', async () => {
    const victim = await aVictim();
    const { id } = await caller.begin(workflow(`${command('long', `${NOTE}; sleep 2`)} start -> long -> exit`));
    await until(async () => (await ledger()).length === 1, 'the command is at work', 10_000);
    victim.signal('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 300));
    victim.signal('SIGTERM');
    expect(await victim.gone(1_000)).toBe(130);
    await withAnotherWorker(async () => {
      expect((await caller.ends(id, 15_000)).lifecycle.status.kind).toBe('succeeded');
    });
    expect(await ledger()).toEqual(['long@1/1/1']);
  });
});

describe('a run that takes every worker with it', () => {
  it('is given up after the fourth, with a last chance in a new sandbox; those that lived beside it go on', async () => {
    const { id } = await caller.create(workflow(`${command('poison', NOTE)} start -> poison -> exit`));
    const patient = workflow(
      `${command('wait', `${NOTE}; until [ -e go ]; do sleep 0.1; done`)} start -> wait -> exit`,
    );
    const neighbours = [await caller.create(patient), await caller.create(patient)];
    for (let epoch = 1; epoch <= 4; epoch++) {
      const victim = await aVictim({ point: 'before_execute', stageId: 'poison@1', signal: 'SIGKILL' });
      if (epoch === 1) {
        await caller.start(id);
        for (const neighbour of neighbours) await caller.start(neighbour.id);
      }
      expect(await victim.gone(15_000)).toBe('SIGKILL');
    }
    await withAnotherWorker(async () => {
      expect((await caller.ends(id)).lifecycle.status).toEqual({ kind: 'failed', reason: 'terminated' });
      expect((await caller.finish(workflow('start -> exit'))).lifecycle.status.kind).toBe('succeeded');
      await writeFile(join(caller.directory, 'go'), '');
      for (const neighbour of neighbours) {
        expect((await caller.ends(neighbour.id, 15_000)).lifecycle.status.kind).toBe('succeeded');
      }
    });
    const { properties } = await caller.logs(id, 'run.failed');
    expect(properties).toMatchObject({ failure: { detail: { signature: 'worker_lost' } } });
    const notices = (await caller.events(id)).filter(({ properties }) => properties?.code === 'sandbox_rebuilt');
    expect(notices).toHaveLength(1);
    expect(await check()).toEqual([]);
  });
});

describe('a worker that is only taken for dead', () => {
  it('gives its run up without a word, and the next one brings it to its end', async () => {
    const victim = await aVictim();
    const { id } = await caller.begin(
      workflow(`${command('long', `${NOTE}; sleep 5; echo done`)} start -> long -> exit`),
    );
    await until(async () => (await ledger()).length === 1, 'the command is at work', 10_000);
    await withAnotherWorker(async () => {
      await endLeases(id);
      expect((await caller.ends(id, 15_000)).lifecycle.status.kind).toBe('succeeded');
      await until(() => victim.output.includes('"end":"lost"'), 'the first worker gives the run up', 10_000);
    });
    // Adopted, or stopped by the first worker before it could be and then repeated.
    expect(['long@1/1/1', 'long@1/1/1 long@1/1/2']).toContain((await ledger()).join(' '));
    expect((await caller.logs(id, 'command.completed')).properties).toMatchObject({ output: 'done\n', exit_code: 0 });
    expect(await check()).toEqual([]);
    await victim.kill();
  });

  /** What the reaper does when the session of a living worker breaks. */
  async function endLeases(runId: string): Promise<void> {
    const client = new pg.Client({ connectionString: server.databaseUrl });
    await client.connect();
    await client.query(`UPDATE run_heads SET lease_expires_at = now() - interval '1 ms' WHERE run_id = $1`, [runId]);
    await client.end();
  }
});

describe('a worker that is frozen past its lease', () => {
  const HOLD = 'until [ -e go ]; do sleep 0.1; done';
  const endless = `${NOTE}; if [ -e second ]; then ${HOLD}; exit 0; fi; touch second; sleep 60`;

  it('finds everything refused when it thaws, while the new owner is at work', async () => {
    const victim = await aVictim({ point: 'after_execute', stageId: 'quick@1', signal: 'SIGSTOP' });
    const working = await caller.begin(workflow(`${command('endless', endless)} start -> endless -> exit`));
    await until(async () => (await ledger()).length === 1, 'the endless command is at work', 10_000);
    const reporting = await caller.begin(
      workflow(`${command('quick', NOTE)} ${command('hold', `${NOTE}; ${HOLD}`)} start -> quick -> hold -> exit`),
    );
    await until(async () => (await ledger()).length === 2, 'the quick command is done', 10_000);
    const frozenAtMs = Date.now();
    const logs = (): Promise<EventEnvelope[][]> => Promise.all([working, reporting].map(({ id }) => caller.events(id)));

    await withAnotherWorker(async () => {
      await until(async () => (await ledger()).length === 4, 'the new owner is at work on both runs', 25_000);
      const before = await logs();
      for (const log of before) expect(standstillMs(log, frozenAtMs)).toBeLessThan(stretched(15_000));

      victim.signal('SIGCONT');
      // A connection that was silent for so long may break before the refusal is heard.
      const given = (): number => victim.output.match(/"end":"lost"|A drive failed/g)?.length ?? 0;
      await until(() => given() === 2, 'the thawed worker gives both runs up', 10_000);
      expect(await logs()).toEqual(before);

      await writeFile(join(caller.directory, 'go'), '');
      for (const { id } of [working, reporting]) {
        expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
      }
    });
    // The quick command had ended, so its end was taken over; the endless one died with its lease and ran again.
    const attempts = ['endless@1/1/1', 'endless@1/1/2', 'hold@1/1/2', 'quick@1/1/1'];
    expect((await ledger()).toSorted()).toEqual(attempts);
    expect(await check()).toEqual([]);
  });
});
