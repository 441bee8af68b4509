import type { RunHint } from '#libs/scheduling';
import type { RunId, TenantId } from '#libs/kernel';
import { stamp } from '#libs/events';
import type { Queryable, Statement } from '../database.js';
import { lockRunHeads, writeLocked, keyOf, type LockedWrite } from './locked-heads.js';

/** Whoever changes which runs hold a slot locks this row first; tenant rows and heads come after it. */
const lockScheduler: Statement = {
  name: 'lock-scheduler',
  text: `
SELECT s.max_concurrent_runs - (SELECT count(*) FROM run_heads WHERE slot = 'held')::int AS free
  FROM scheduler s FOR UPDATE OF s`,
};

/**
 * The next runs to get a slot: always one of the tenant with the fewest held slots, and within a tenant the one that
 * became runnable first. A run's rank is what its tenant would hold with it and with those before it.
 */
const chooseRunnable: Statement = {
  name: 'choose-runnable',
  text: `
SELECT c.tenant_id AS "tenantId", c.run_id AS "runId"
  FROM tenants t
  CROSS JOIN LATERAL (SELECT count(*)::int AS held FROM run_heads WHERE tenant_id = t.id AND slot = 'held') h
  CROSS JOIN LATERAL (
    SELECT q.tenant_id, q.run_id, q.runnable_seq, h.held + row_number() OVER (ORDER BY q.runnable_seq) AS rank
      FROM (SELECT tenant_id, run_id, runnable_seq FROM run_heads
             WHERE tenant_id = t.id AND slot = 'queued' ORDER BY runnable_seq
             LIMIT greatest(0, least($1::int, coalesce(t.max_concurrent_runs, $1 + h.held) - h.held))) q) c
 ORDER BY c.rank, c.runnable_seq LIMIT $1`,
};

const addWakeUps: Statement = {
  name: 'add-wake-ups',
  text: `
INSERT INTO outbox (tenant_id, run_id, kind, payload, not_before)
SELECT tenant_id, run_id, 'wake', jsonb_build_object('epoch', epoch), now() + interval '3 seconds'
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS p(tenant_id, run_id, epoch)
RETURNING id`,
};

export interface Promotion {
  hints: RunHint[];
  /** Highest seq of each promoted run, for notices. */
  toSeq: Map<string, number>;
  outboxIds: number[];
}

export const NO_PROMOTION: Promotion = { hints: [], toSeq: new Map(), outboxIds: [] };

/** Takes the lock that every change of slots begins with; returns how many slots are free. */
export async function lockSlots(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ free: number }>(lockScheduler);
  return row?.free ?? 0;
}

/**
 * Gives free slots to queued runs, in order and fairly, in the transaction that holds {@link lockSlots}. A run that
 * starts (it may also only wake) gets its `run.starting` here. Commits together with whatever freed the slots.
 */
export async function promote(tx: Queryable, free: number, nowMs: number): Promise<Promotion> {
  if (free <= 0) return NO_PROMOTION;
  const chosen = await tx.query<{ tenantId: TenantId; runId: RunId }>(chooseRunnable, [free]);
  if (chosen.length === 0) return NO_PROMOTION;

  const heads = await lockRunHeads(tx, chosen);
  const writes = chosen.flatMap((run): LockedWrite[] => {
    const head = heads.get(keyOf(run));
    if (!head || head.slot !== 'queued') return [];
    const starts = head.status === 'runnable';
    const events = starts ? [stamp({ event: 'run.starting', properties: {} }, nowMs)] : [];
    return [
      {
        head,
        events,
        slot: 'held',
        runnableSeq: head.runnableSeq,
        pendingControl: head.pendingControl,
        wakeAt: null,
        epoch: null,
      },
    ];
  });
  await writeLocked(tx, writes);
  const hints = writes.map(({ head }) => ({ tenantId: head.tenantId, runId: head.runId, epoch: head.leaseEpoch + 1 }));
  const rows = await tx.query<{ id: number }>(addWakeUps, [
    hints.map(({ tenantId }) => tenantId),
    hints.map(({ runId }) => runId),
    hints.map(({ epoch }) => epoch),
  ]);
  const toSeq = new Map(writes.map(({ head, events }) => [keyOf(head), head.nextSeq + events.length - 1]));
  return { hints, toSeq, outboxIds: rows.map(({ id }) => id) };
}
