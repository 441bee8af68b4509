import { describe, expect, it } from '@jest/globals';
import {
  POISON_EPOCHS,
  type Appended,
  type AttemptResult,
  type Control,
  type Lease,
  type Release,
  type Released,
  type StoredState,
} from '#libs/engine';
import type { RunEvent, StampedEvent } from '#libs/events';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { ADrivenRun, commandsDo } from '../../../../test/support/a-driven-run.js';
import { anEvent } from '../../../../test/support/a-held-run.js';
import { ok } from '../../../../test/support/a-run.js';
import { InMemoryRuns, InMemoryRunStore } from '../../../../test/support/in-memory-run-store.js';
import { until } from '../../../../test/support/until.js';
import type { RunDriver } from './run-driver.js';

const RUN = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };

/** Somebody answers the open question just before the worker gets the lock for the second time. */
class AnsweredMeanwhile extends InMemoryRunStore {
  private locks = 0;

  constructor(private readonly shared: InMemoryRuns) {
    super(shared);
  }

  override appendLocked(
    lease: Lease,
    othersSeq: number,
    decide: (others: StoredState['tail']) => readonly StampedEvent[],
  ): Promise<Appended> {
    if (++this.locks === 2) this.shared.change(RUN, [...this.answer()].map(anEvent));
    return super.appendLocked(lease, othersSeq, decide);
  }

  private *answer(): Generator<RunEvent> {
    for (const { envelope } of this.shared.require(RUN).log) {
      if (envelope.event !== 'interview.started') continue;
      const { node_id, stage_id, cursor_id } = envelope;
      const { question_id, question, stage } = envelope.properties as Record<string, string>;
      yield {
        event: 'interview.completed',
        ...{ node_id: node_id!, stage_id: stage_id!, cursor_id: cursor_id! },
        properties: {
          ...{ question_id: question_id!, question: question!, stage: stage! },
          ...{ answer: 'Yes', given: { kind: 'selected', option_key: 'Y' }, duration_ms: 1 },
        },
      };
    }
    yield { event: 'run.unblocked', properties: {} };
  }
}

async function drive(runs: InMemoryRuns, store: InMemoryRunStore, source: string): Promise<string[]> {
  const run = new ADrivenRun(source, runs, store);
  expect(await (await run.claimed()).drive()).toBe('ended');
  return run.log;
}

// boss[ start -> ask -> exit ] is stopped after a look ; start -> boss -> after -> exit
const STOPPED = `digraph Spec {
  start [shape=Mdiamond] exit [shape=Msquare] after [shape=insulator, duration="200ms"]
  boss [shape=house, manager.poll_interval="400ms", manager.max_cycles=1, max_retries=0,
    stack.child_dot_source="digraph C { start; exit; ask [shape=hexagon]; start -> ask; ask -> exit [label=Yes] }"]
  start -> boss -> after -> exit
}`;

it('withdraws the question of a stage that is stopped', async () => {
  const runs = new InMemoryRuns();
  const log = await drive(runs, new InMemoryRunStore(runs), STOPPED);
  expect(log.filter((event) => event.startsWith('interview.'))).toEqual(['interview.started', 'interview.interrupted']);
});

it('withdraws no question that somebody answers at that moment', async () => {
  const runs = new InMemoryRuns();
  const log = await drive(runs, new AnsweredMeanwhile(runs), STOPPED);
  expect(log.filter((event) => /^interview\.|blocked$/.test(event))).toEqual([
    'interview.started',
    'run.blocked',
    'interview.completed',
    'run.unblocked',
  ]);
  expect(log).toContain('subgraph.completed');
});

const ENDING = STOPPED.replace('-> after ->', '->').replace(/after \[.*\]/, '');

it('withdraws nothing that somebody answers as the run ends', async () => {
  const runs = new InMemoryRuns();
  const log = await drive(runs, new AnsweredMeanwhile(runs), ENDING);
  expect(log.filter((event) => event.startsWith('interview.'))).toEqual(['interview.started', 'interview.completed']);
  expect(log.at(-1)).toBe('run.completed');
});

it('withdraws what it still asks when the run ends', async () => {
  const runs = new InMemoryRuns();
  const log = await drive(runs, new InMemoryRunStore(runs), ENDING);
  expect(log.filter((event) => event.startsWith('interview.'))).toEqual(['interview.started', 'interview.interrupted']);
  expect(log.at(-1)).toBe('run.completed');
});

/** Counts how often a worker tries to let go of a run, and refuses to let it as long as it is told to. */
class CountedReleases extends InMemoryRunStore {
  releases = 0;
  refuses = false;

  override release(lease: Lease, release: Release): Promise<Released> {
    this.releases++;
    if (this.refuses) return Promise.resolve({ released: false, pendingControl: null });
    return super.release(lease, release);
  }
}

// start -> work -> after -> exit
const WORKING = `digraph Spec {
  start [shape=Mdiamond] exit [shape=Msquare]
  work [shape=parallelogram, script="x"] after [shape=parallelogram, script="x"]
  start -> work -> after -> exit
}`;

/** A run whose commands end when they are told to, in the hands of a worker. */
class AtWork {
  private constructor(
    readonly run: ADrivenRun,
    readonly store: CountedReleases,
    readonly driver: RunDriver,
    readonly driven: ReturnType<RunDriver['drive']>,
    /** Ends the command that is executed. */
    readonly finish: () => void,
  ) {}

  static async onCommand(more: (signal: AbortSignal) => void = () => undefined): Promise<AtWork> {
    const runs = new InMemoryRuns();
    const store = new CountedReleases(runs);
    const ends: ((result: AttemptResult) => void)[] = [];
    const parts = commandsDo(({ signal }) => {
      more(signal);
      return new Promise((resolve) => ends.push(resolve));
    });
    const run = new ADrivenRun(WORKING, runs, store, parts);
    const driver = await run.claimed();
    const driven = driver.drive();
    await until(() => ends.length === 1, 'the command is executed');
    return new AtWork(run, store, driver, driven, () => ends.at(-1)!(ok()));
  }

  /** Somebody asks for something, and the worker hears of it. */
  ask(control: Control): void {
    const { runs, key } = this.run;
    runs.change(key, [anEvent({ event: 'run.pause.requested', properties: { action: 'pause' } })], control);
    this.driver.control(control);
  }
}

describe('a run that its worker has to give back', () => {
  it('parks when it is to pause, in as many steps as without', async () => {
    const at = await AtWork.onCommand();
    at.ask('pause');
    at.driver.handOver();
    at.finish();
    expect(await at.driven).toBe('parked');
    expect(at.run.log.at(-1)).toBe('run.paused');
    expect(at.store.releases).toBe(1);
  });

  it('is handed over before its next stage begins', async () => {
    const at = await AtWork.onCommand();
    at.driver.handOver();
    at.finish();
    expect(await at.driven).toBe('handed_over');
    expect(at.run.runs.standing(at.run.key).slot).toBe('held');
    expect(at.store.releases).toBe(1);
  });

  it('is lost at once while the store does not take it back', async () => {
    const at = await AtWork.onCommand();
    at.store.refuses = true;
    at.driver.handOver();
    at.finish();
    await until(() => at.store.releases > 3, 'it was tried to give it back');
    at.driver.lose();
    expect(await at.driven).toBe('lost');
    const { releases } = at.store;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(at.store.releases - releases).toBeLessThanOrEqual(1);
  });
});

describe('a run that its worker has lost', () => {
  it('hears nothing more of it, and its commands are left to the next epoch', async () => {
    let say: (event: RunEvent) => void = () => undefined;
    const runs = new InMemoryRuns();
    const parts = commandsDo(
      (task) =>
        new Promise((resolve) => {
          ({ say } = task);
          task.signal.addEventListener('abort', () => {
            say({ event: 'run.notice', properties: { level: 'info', code: 'late', message: 'too late' } });
            resolve(ok());
          });
        }),
    );
    const run = new ADrivenRun(WORKING, runs, new InMemoryRunStore(runs), parts);
    const driver = await run.claimed();
    const driven = driver.drive();
    await until(() => run.log.at(-1) === 'stage.started', 'the command is executed');
    driver.lose();
    expect(await driven).toBe('lost');
    expect(run.log.at(-1)).toBe('stage.started');
  });
});

describe('a run whose state kills every worker that reads it', () => {
  /** A worker dies as soon as it reads the run: its lease is never heard of again. */
  class ReadByNobody extends InMemoryRunStore {
    reads = 0;

    override load(): Promise<never> {
      this.reads++;
      return new Promise(() => undefined);
    }
  }

  it.each([
    ['fails as poison', undefined, 'terminated'],
    ['can be cancelled', 'cancel', 'cancelled'],
  ] as const)('%s, and is read no more', async (_, control, reason) => {
    const runs = new InMemoryRuns();
    const store = new ReadByNobody(runs);
    const run = new ADrivenRun(WORKING, runs, store);
    const losses = POISON_EPOCHS + 1;
    for (let epoch = 1; epoch <= losses; epoch++) {
      void (await run.claimed()).drive();
      await until(() => store.reads === epoch - 1, 'it is read, but for its first epoch');
      runs.expireLease(run.key);
    }
    if (control) runs.change(run.key, [], control);
    expect(await (await run.claimed()).drive()).toBe('ended');
    expect(store.reads).toBe(losses - 1);
    expect(runs.require(run.key).log.at(-1)?.envelope).toMatchObject({
      event: 'run.failed',
      properties: { failure: { reason } },
    });
  });
});
