import { expect, it } from '@jest/globals';
import { DEFAULT_TENANT, FixedClock, type JsonObject, type RunId } from '#libs/kernel';
import { compile } from '#libs/language';
import type { RunLedger, Slots } from '#libs/persistence';
import { aRun } from '../../../test/support/a-run.js';
import { closeOverdueQuestions } from './paused-questions.js';

const RUN = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
const LIMIT_MS = 60_000;

const GATE = `ask [shape=hexagon, timeout="60s", human.default_choice=exit]
  start -> ask; ask -> exit [label="Yes"]`;

it('what the database finds due is closed by a process whose clock is a little behind', async () => {
  const run = aRun(GATE);
  run.begin();
  run.take(run.walk.settle());
  run.walk.hear({
    event: 'run.pause.requested',
    properties: { action: 'pause' },
    id: 'pause',
    ts: new Date(run.now).toISOString(),
  });
  run.take(run.walk.rest());
  const dueAtMs = run.now + LIMIT_MS;

  const { graph } = compile(`digraph Spec { start [shape=Mdiamond] exit [shape=Msquare] ${GATE} }`);
  const settings = { run: { goal: null, execution: { mode: 'normal' }, environment: { env: {} } } };
  const spec = { graph: graph as unknown as JsonObject, settings, workflow_source: '' };
  const snapshot = { seq: 9, state: structuredClone(run.walk.state) };
  const stored: string[][] = [];
  const ledger = {
    change: async (_run: unknown, decide: Parameters<RunLedger['change']>[1]) => {
      const head = { status: 'paused', slot: 'parked' } as Parameters<typeof decide>[0];
      const read = { spec, snapshot, tail: [] } as unknown as Awaited<ReturnType<Parameters<typeof decide>[1]>>;
      const change = await decide(head, async () => read);
      stored.push((change?.events ?? []).map(({ event }) => event));
    },
  } as unknown as RunLedger;
  const slots = { duePaused: async () => [{ ...RUN, dueAtMs }] } as unknown as Slots;

  const warnings: unknown[] = [];
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  await closeOverdueQuestions(slots, ledger, new FixedClock(dueAtMs - 5), log);
  expect(warnings).toEqual([]);
  expect(stored).toEqual([['interview.timeout', 'run.unblocked']]);
});
