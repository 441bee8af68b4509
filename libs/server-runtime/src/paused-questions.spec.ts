import { expect, it } from '@jest/globals';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import type { RunLedger, Slots } from '#libs/persistence';
import type { RunCommand } from '#libs/runs';
import { closeOverdueQuestions } from './paused-questions.js';

const FIRST = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
const SECOND = { ...FIRST, runId: '01J0000000000000000000000B' as RunId };

it('what cannot be closed is put off, and keeps no other question from its turn', async () => {
  const closed: unknown[] = [];
  const postponed: unknown[] = [];
  const warnings: object[] = [];
  const slots = {
    duePaused: async () => [
      { ...FIRST, dueAtMs: 5 },
      { ...SECOND, dueAtMs: 6 },
    ],
    postpone: async (...asked: unknown[]) => void postponed.push(asked),
  } as unknown as Slots;
  const ledger = {
    change: async (run: typeof FIRST, command: RunCommand) => {
      if (run.runId === FIRST.runId) throw new Error('unreadable');
      closed.push([run, command]);
    },
  } as unknown as RunLedger;

  await closeOverdueQuestions(slots, ledger, { warn: (fields: object) => void warnings.push(fields) });
  expect(closed).toEqual([[SECOND, { kind: 'time_out', dueAtMs: 6 }]]);
  expect(postponed).toEqual([[FIRST, 60_000]]);
  expect(warnings).toEqual([{ run: FIRST.runId, tenant: FIRST.tenantId, error: 'unreadable' }]);
});
