import { expect, it } from '@jest/globals';
import type { Appended, Lease, StoredState } from '#libs/engine';
import type { RunEvent, RunSpec, StampedEvent } from '#libs/events';
import { DEFAULT_TENANT, monotonicMs, type JsonObject, type RunId } from '#libs/kernel';
import { compile } from '#libs/language';
import { anEvent } from '../../../test/support/a-held-run.js';
import { created } from '../../../test/support/a-log.js';
import { driverParts } from '../../../test/support/driver-parts.js';
import { InMemoryRuns, InMemoryRunStore } from '../../../test/support/in-memory-run-store.js';
import { createLogger } from '../../platform/src/index.js';
import { RunDriver } from './run-driver.js';

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
  const { graph } = compile(source);
  const run = { goal: null, execution: { mode: 'normal' }, environment: { env: {} } };
  const spec: RunSpec = { graph: graph as unknown as JsonObject, settings: { run }, workflow_source: source };
  const submitted: RunEvent = { event: 'run.submitted', properties: { definition_blob: 'a'.repeat(64) } };
  runs.submit(RUN, spec, 'a'.repeat(64), [created(), submitted].map(anEvent));
  runs.start(RUN);
  const [claim] = await store.claim('ann', 1);
  const driver = new RunDriver(claim!, driverParts(store), createLogger('silent', 'test'), monotonicMs());
  expect(await driver.drive()).toBe('ended');
  return runs.log(RUN).map(({ event }) => event);
}

// boss[ start -> ask -> exit ] is stopped after a look ; start -> boss -> after -> exit
const STOPPED = `digraph Spec {
  start [shape=Mdiamond] exit [shape=Msquare] after [shape=insulator, duration="10ms"]
  boss [shape=house, manager.poll_interval="50ms", manager.max_cycles=1, max_retries=0,
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

it('says nothing of a question with which the run ends', async () => {
  const runs = new InMemoryRuns();
  const log = await drive(
    runs,
    new InMemoryRunStore(runs),
    STOPPED.replace('-> after ->', '->').replace(/after \[.*\]/, ''),
  );
  expect(log.filter((event) => event.startsWith('interview.'))).toEqual(['interview.started']);
  expect(log.at(-1)).toBe('run.completed');
});
