import type { RunKey } from '#libs/engine';
import { IllegalTransitionError, stamp, type Principal } from '#libs/events';
import type { RunyardError } from '#libs/kernel';
import type { Database, Queryable, Statement } from '../database.js';
import { RunNotFoundError } from '../errors.js';
import { keyOf, lockRunHeads, writeLocked, type LockedWrite } from '../store/locked-heads.js';
import { lockSlots, promote, type Promotion } from '../store/promote.js';

export interface StartRequest extends RunKey {
  actor: Principal;
}

// Numbers are drawn while the tenant's row is held, so the order of commits is the order of numbers.
const drawNumbers: Statement = {
  name: 'draw-runnable-seqs',
  text: `
WITH l AS MATERIALIZED (
  SELECT t.id, w.count FROM tenants t JOIN unnest($1::text[], $2::int[]) AS w(id, count) ON w.id = t.id
   ORDER BY t.id FOR NO KEY UPDATE OF t)
UPDATE tenants t SET next_runnable_seq = t.next_runnable_seq + l.count FROM l WHERE t.id = l.id
RETURNING t.id, t.next_runnable_seq - l.count AS first`,
};

/** Starts several runs in one transaction, in the order of the requests, and promotes as far as slots are free. */
export async function startRuns(
  database: Database,
  requests: readonly StartRequest[],
  nowMs: number,
): Promise<{ results: (RunyardError | undefined)[]; writes: LockedWrite[]; promotion: Promotion }> {
  return database.transaction(async (tx) => {
    const free = await lockSlots(tx);
    const numbers = await draw(tx, requests);
    const heads = await lockRunHeads(tx, requests);
    const writes = new Map<string, LockedWrite>();
    const results = requests.map((request) => {
      const head = heads.get(keyOf(request));
      if (!head) return new RunNotFoundError(request.runId);
      if (head.status !== 'submitted' || writes.has(keyOf(request))) {
        return new IllegalTransitionError(
          request.runId,
          writes.has(keyOf(request)) ? 'runnable' : head.status,
          'started',
        );
      }
      const events = [
        stamp({ event: 'run.start_requested', actor: request.actor, properties: { resume: false } }, nowMs),
        stamp({ event: 'run.runnable', actor: request.actor, properties: { source: 'start_requested' } }, nowMs),
      ];
      const runnableSeq = numbers(request.tenantId);
      writes.set(keyOf(request), {
        head,
        events,
        slot: 'queued',
        runnableSeq,
        pendingControl: null,
        wakeAt: null,
        epoch: null,
      });
      return undefined;
    });
    await writeLocked(tx, [...writes.values()]);
    return { results, writes: [...writes.values()], promotion: await promote(tx, free, nowMs) };
  });
}

async function draw(tx: Queryable, requests: readonly StartRequest[]): Promise<(tenantId: string) => number> {
  const counts = new Map<string, number>();
  for (const { tenantId } of requests) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
  const rows = await tx.query<{ id: string; first: number }>(drawNumbers, [[...counts.keys()], [...counts.values()]]);
  const next = new Map(rows.map(({ id, first }) => [id, first]));
  return (tenantId) => {
    const number = next.get(tenantId) ?? 1;
    next.set(tenantId, number + 1);
    return number;
  };
}
