import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { HandlerTable, type AttemptResult, type StageTask, type Step } from '#libs/engine';
import { ObjectStoreUnavailableError } from '#libs/object-store';
import { AHeldRun } from '../../../../test/support/a-held-run.js';
import { fails, ok } from '../../../../test/support/a-run.js';
import { InMemoryObjectStore } from '../../../../test/support/in-memory-object-store.js';
import { until } from '../../../../test/support/until.js';
import type { WorkerLimits } from '#libs/config';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '#libs/server-runtime';
import { ValueMemory } from '../values/attempt-memory.js';
import { Failpoints } from '../failpoints.js';
import { KeptValues } from '../values/kept-values.js';
import { LargeTexts } from '../values/large-texts.js';
import { RunWorkspace } from '../workspace/run-workspace.js';
import { RunWriter } from './run-writer.js';
import { StagePlaces } from './stage-places.js';
import { StageRunner } from './stage-runner.js';

type Handle = (task: Omit<StageTask, 'node'>) => Promise<AttemptResult>;

/** An object store that cannot be reached. */
class AbsentObjectStore extends InMemoryObjectStore {
  override async put(): Promise<void> {
    throw new ObjectStoreUnavailableError({ cause: new Error('no route') });
  }

  override async getRange(): Promise<undefined> {
    throw new ObjectStoreUnavailableError({ cause: new Error('no route') });
  }
}

/** A worker at one run whose stages all do the same. */
class AtWork {
  readonly results: [stageId: string, AttemptResult][] = [];
  stalls = 0;

  private constructor(
    readonly run: AHeldRun,
    readonly writer: RunWriter,
    readonly stages: StageRunner,
    /** What was written to the log of the process. */
    readonly lines: readonly Record<string, unknown>[],
  ) {}

  static async on(
    statements: string,
    handle: Handle,
    objects = new InMemoryObjectStore(),
    limits: Partial<WorkerLimits> = {},
  ): Promise<AtWork> {
    const run = await AHeldRun.of(statements, ['think']);
    const nobody = {
      controlled: () => undefined,
      progressed: () => undefined,
      failed: () => undefined,
    };
    const lines: Record<string, unknown>[] = [];
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const log = createLogger('debug', 'test', { write });
    const kept = new KeptValues(objects, run.key);
    const texts = new LargeTexts(kept, log);
    const writer = new RunWriter(run.store, run.claim.lease, run.claim.nextSeq, run.walk, texts, nobody);
    const parts = {
      ...{ walk: run.walk, writer, kept, failpoints: new Failpoints() },
      places: new StagePlaces({ stages: 9, stagesPerRun: 9, ...limits }).ofRun(),
      conversations: new Map(),
      memory: new ValueMemory(limits.valueMemoryBytes ?? 1_000_000),
      workspace: new RunWorkspace(undefined, run.claim, run.definition, null, 0),
      ...{ show: () => undefined, log },
      handlers: new HandlerTable([
        { kind: 'command', execute: handle },
        { kind: 'prompt', execute: handle },
      ]),
    };
    const stages: StageRunner = new StageRunner(parts, {
      finished: (_, stageId, result) => void at.results.push([stageId, result]),
      stalled: () => void at.stalls++,
      failed: () => undefined,
    });
    const at = new AtWork(run, writer, stages, lines);
    return at;
  }

  /** Begins the run and what it asks for. */
  begin(): void {
    this.take(this.run.walk.begin());
  }

  /** Stores what a step says and executes what it asks for. */
  take({ events, work }: Step): void {
    this.writer.append(events);
    for (const each of work) this.stages.launch(each);
  }

  async result(): Promise<AttemptResult> {
    await until(() => this.results.length > 0, 'a stage ended');
    return this.results[0]![1];
  }
}

/** Ends when it is asked to. */
const patiently: Handle = ({ signal }) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(fails('stopped', 'canceled'))));

let at: AtWork;
const working = async (...given: Parameters<typeof AtWork.on>): Promise<AtWork> => {
  at = await AtWork.on(...given);
  at.begin();
  return at;
};
afterEach(() => at.stages.close());

describe('a stage', () => {
  it('is executed once its start is stored', async () => {
    let log: string[] = [];
    await working('start -> a -> exit', async () => {
      log = at.run.log;
      return ok();
    });
    expect(await at.result()).toEqual(ok());
    expect(log.at(-1)).toBe('stage.started');
    expect(at.results[0]![0]).toBe('a@1');
    expect(at.stages.isIdle).toBe(true);
  });

  it('stands in every line about it', async () => {
    await working('start -> a -> exit', async () => ok());
    await at.result();
    expect(at.lines).toEqual([
      expect.objectContaining({ stage: 'a@1', attempt: 1, handler: 'command', msg: 'A stage is executed.' }),
      expect.objectContaining({ stage: 'a@1', result: 'outcome', msg: 'A stage was executed.' }),
    ]);
  });

  it('is in the log with the stack when a defect cut it off, and its event has the sentence alone', async () => {
    await working('start -> a -> exit', async () => {
      throw new TypeError('x is undefined');
    });
    expect(await at.result()).toEqual({
      ...{ kind: 'error', retryable: false },
      failure: { message: 'x is undefined', category: 'deterministic' },
    });
    const error = { type: 'TypeError', stack: expect.stringMatching(/x is undefined\n +at .*stage-runner\.spec/) };
    expect(at.lines.find(({ level }) => level === 50)).toMatchObject({
      ...{ stage: 'a@1', msg: 'A stage was cut off by a defect.', error },
    });
  });

  it('reports what was thrown around its handler, too', async () => {
    const broken = await AtWork.on('start -> a -> exit', async () => ok());
    at = broken;
    jest.spyOn(broken.run.walk.definition, 'node').mockReturnValue(undefined);
    broken.begin();
    expect(await broken.result()).toMatchObject({
      kind: 'error',
      failure: { message: expect.stringContaining('undefined') },
    });
  });

  it.each<[string, Handle]>([
    ['something it needs is away', async () => Promise.reject(new ObjectStoreUnavailableError({ cause: 'no route' }))],
    [
      'it was stopped',
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    ],
  ])('is no defect when %s', async (_, handle) => {
    await working('start -> a -> exit', handle);
    await until(() => at.lines.length > 0, 'the stage is executed');
    void at.stages.stop();
    expect(await at.result()).toMatchObject({ kind: 'error' });
    expect(at.lines.filter(({ level }) => level === 50)).toEqual([]);
  });

  it('is never executed when its start is refused', async () => {
    let isExecuted = false;
    const lost = await AtWork.on('start -> a -> exit', async () => {
      isExecuted = true;
      return ok();
    });
    at = lost;
    lost.run.runs.expireLease(lost.run.key);
    await lost.run.store.claim('ben', 1);
    lost.begin();
    await until(() => lost.stages.isIdle, 'the stage was given up');
    expect([isExecuted, lost.results]).toEqual([false, []]);
  });

  it('says what happens in it under its own name, until the runner is closed', async () => {
    let say: StageTask['say'] = () => undefined;
    await working('start -> a -> exit', async (task) => {
      ({ say } = task);
      say({ event: 'run.notice', properties: { level: 'info', code: 'x', message: 'm' } });
      return ok();
    });
    await at.result();
    await at.stages.close();
    say({ event: 'run.notice', properties: { level: 'info', code: 'x', message: 'too late' } });
    await at.writer.flushed();
    const { tail } = await at.run.store.load(at.run.key);
    expect(tail.filter(({ event }) => event === 'run.notice')).toMatchObject([{ node_id: 'a', stage_id: 'a@1' }]);
  });

  it('sees values of the context as its path does, kept ones in full', async () => {
    const seen: unknown[] = [];
    at = await AtWork.on('start -> a -> b -> exit', async ({ inputOf }) => {
      const input = await inputOf('big', 300_000);
      seen.push(input && (await text(input())), await inputOf('missing', 1));
      return ok({ contextUpdates: { big: ['x'.repeat(200_000)] } });
    });
    at.begin();
    const first = await at.result();
    at.take(at.run.walk.finish('main', 'a@1', first));
    await until(() => at.results.length === 2, 'both stages ended');
    expect(seen).toEqual([undefined, undefined, JSON.stringify(['x'.repeat(200_000)]), undefined]);
    expect(at.run.walk.state.cursors.main!.context.big).toMatch(/^blob:\/\/sha256\/[0-9a-f]{64}#json$/);
  });
});

describe('what the worker has for all its stages', () => {
  it('is waited for: no more of them work at once than may, and one that is cancelled waits no more', async () => {
    const begun: string[] = [];
    const statements =
      'f [shape=component, max_parallel=9] j [shape=tripleoctagon] start -> f; f -> a -> j; f -> b -> j; f -> c -> j; j -> exit';
    at = await AtWork.on(statements, (task) => (begun.push(task.stage.node), patiently(task)), undefined, {
      stagesPerRun: 2,
    });
    at.begin();
    await until(() => begun.length === 2, 'two work');
    await at.stages.stop();
    expect(begun).toEqual(['a', 'b']);
    expect(at.results.map(([stage, { kind }]) => [stage, kind])).toContainEqual(['c@1', 'error']);
  });

  it('is not filled by the values of a run: once there are many, its stages leave only small ones in its state', async () => {
    const leaving = async (): Promise<AttemptResult> => ok({ contextUpdates: { value: 'x'.repeat(9_000) } });
    at = await AtWork.on('start -> a -> exit', leaving);
    at.run.walk.state.cursors.main!.context.many = 'x'.repeat(5_000_000);
    at.begin();
    expect(await at.result()).toMatchObject({ outcome: { kept: { value: 9_000 } } });
  });

  it('is given back by an attempt when it ends, however it does', async () => {
    const statements =
      'f [shape=component, max_parallel=9] j [shape=tripleoctagon] start -> f; f -> a -> j; f -> b -> j; j -> exit';
    let held = 0;
    let most = 0;
    const handle: Handle = async ({ reserve, stage }) => {
      await reserve(2_000_000);
      most = Math.max(most, ++held);
      await sleep(5);
      held--;
      if (stage.node === 'a') throw new Error('broken');
      return ok();
    };
    at = await AtWork.on(statements, handle);
    at.begin();
    await until(() => at.results.length === 2, 'both ended');
    expect(most).toBe(1);
  });
});

describe('the limit of a node', () => {
  it('ends an attempt of a model with an error that may pass, whatever it reports then', async () => {
    await working('think [timeout=30ms] start -> think -> exit', patiently);
    expect(await at.result()).toEqual({
      kind: 'error',
      failure: { message: 'handler timed out after 30ms', category: 'transient_infra', system_actor: 'timeout' },
      retryable: true,
    });
  });

  it.each(['25d', '60d', '365d'])('may be %s', async (limit) => {
    await working(`think [timeout="${limit}"] start -> think -> exit`, async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return ok();
    });
    expect(await at.result()).toEqual(ok());
  });

  it('is left to commands, which keep it themselves', async () => {
    await working('a [timeout=1ms] start -> a -> exit', async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return ok();
    });
    expect(await at.result()).toEqual(ok());
  });

  it('does not hide that the run was stopped first', async () => {
    await working('think [timeout=10s] start -> think -> exit', patiently);
    await until(() => at.run.log.at(-1) === 'stage.started', 'the stage began');
    await at.stages.stop();
    expect(await at.result()).toEqual(fails('stopped', 'canceled'));
  });
});

describe('what cannot be kept', () => {
  it('is an error that may pass, and the run is told', async () => {
    const big = { contextUpdates: { big: 'x'.repeat(200_000) } };
    await working('start -> a -> exit', async () => ({ ...ok(big), toolTimeMs: 7 }), new AbsentObjectStore());
    expect(await at.result()).toEqual({
      kind: 'error',
      failure: { message: expect.stringContaining('cannot be reached'), category: 'transient_infra' },
      retryable: true,
      toolTimeMs: 7,
    });
  });

  it('is no reason to be silent for a stage whose model cannot be told what it holds', async () => {
    const absent = new AbsentObjectStore();
    at = await AtWork.on('start -> a -> think -> exit', async () => ok(), absent);
    at.begin();
    await at.result();
    const big = { contextUpdates: { big: `blob://sha256/${'a'.repeat(64)}` }, kept: { big: 200_000 } };
    at.take(at.run.walk.finish('main', 'a@1', ok(big)));
    await until(() => at.results.length === 2, 'both stages ended');
    expect(at.results[1]).toMatchObject(['think@1', { kind: 'error', retryable: true }]);
  });
});

describe('stopping', () => {
  it('ends the named stages only', async () => {
    // start -> fork ; fork -> a -> join ; fork -> b -> join
    await working(
      'fork [shape=component] join [shape=diamond] start -> fork; fork -> a -> join; fork -> b -> join; join -> exit',
      patiently,
    );
    await until(() => at.run.log.filter((event) => event === 'stage.started').length === 4, 'both branches began');
    at.stages.interruptStages(['b@1', 'never@1']);
    await at.result();
    expect(at.results.map(([id]) => id)).toEqual(['b@1']);
    expect(at.stages.isIdle).toBe(false);
  });

  it('is over when nothing is at work any more', async () => {
    await working('start -> a -> exit', patiently);
    await until(() => at.run.log.at(-1) === 'stage.started', 'the stage began');
    await at.stages.stop();
    expect(at.stages.isIdle).toBe(true);
  });
});

describe('the stall watchdog', () => {
  afterEach(() => void jest.useRealTimers());

  it('tells when a stage gives no sign for as long as the graph allows', async () => {
    await working('stall_timeout=40ms start -> a -> exit', patiently);
    await until(() => at.stalls > 0, 'the silence was told');
    expect(at.results).toEqual([]);
  });

  it('hears every sign of life, and rests while nothing is executed', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    await working('stall_timeout=200ms start -> a -> exit', async ({ alive }) => {
      for (let n = 0; n < 8; n++) {
        await new Promise((resolve) => setTimeout(resolve, 150));
        alive();
      }
      return ok();
    });
    await jest.advanceTimersByTimeAsync(8 * 150);
    await at.result();
    await jest.advanceTimersByTimeAsync(250);
    expect(at.stalls).toBe(0);
  });
});
