import type { Database, Statement } from '../database.js';
import { HOLDS_LOCK } from '../upkeep/worker-presence.js';

/** How the whole server stands, over all tenants and processes. Says nothing about any one of them. */
export interface SystemFigures {
  slots: {
    /** Runs that may execute at once. */
    limit: number;
    held: number;
    /** Runs that wait for a slot. */
    queued: number;
    /** Runs that wait for a person, a moment or a worker of a newer version, without a slot. */
    parked: number;
  };
  leases: {
    held: number;
    /** Over, and not yet claimed by another worker. */
    expired: number;
  };
  /** How long the oldest run waits that could execute; 0 when none waits. */
  waiting: {
    /** It is queued: the limit holds it back. */
    forSlotMs: number;
    /** It has a slot and no worker has it: workers are missing or full. */
    forWorkerMs: number;
  };
  /** Rows that something should have moved at least {@link STUCK_AFTER_S} seconds ago. */
  stuck: {
    /** Queued, although the server and the tenant have a free slot. */
    queued: number;
    /** Parked beyond the moment at which it wakes. */
    parked: number;
    /** Held by a lease that is over. */
    held: number;
    /** Asked to cancel, and nothing happened since. */
    cancelled: number;
  };
  workers: {
    alive: number;
    /** Registered, but gone; forgotten within a second when upkeep works. */
    missing: number;
  };
  /** Read models as they were compared with their logs. */
  views: {
    /** Since all of them were, or since there is a server. */
    comparedAgoMs: number;
    /** Runs whose read models were wrong, ever. */
    mended: number;
    /** The last of them; null when there was none. */
    mendedAgoMs: number | null;
  };
}

/** Upkeep comes round every five seconds at most, a lease lasts ten: what is late by this much is nobody's turn. */
export const STUCK_AFTER_S = 30;

/** Since it lost its worker, or since it got its slot. */
const UNCLAIMED_SINCE = 'coalesce(lost_at, lease_expires_at, slot_since)';
const LATE = `now() - interval '${STUCK_AFTER_S} seconds'`;

const readFigures: Statement = {
  name: 'system-figures',
  text: `
WITH held AS (
  SELECT tenant_id, count(*) AS held,
         count(*) FILTER (WHERE lease_expires_at >= now()) AS leased,
         count(*) FILTER (WHERE lease_expires_at < now()) AS expired,
         min(${UNCLAIMED_SINCE}) FILTER (WHERE lease_expires_at IS NULL OR lease_expires_at < now()) AS unclaimed_since,
         count(*) FILTER (WHERE lease_expires_at < ${LATE}) AS late,
         count(*) FILTER (WHERE pending_control = 'cancel' AND last_event_at < ${LATE}) AS uncancelled
    FROM run_heads WHERE slot = 'held' GROUP BY tenant_id),
h AS (
  SELECT coalesce(sum(held), 0) AS held, coalesce(sum(leased), 0) AS leased, coalesce(sum(expired), 0) AS expired,
         min(unclaimed_since) AS unclaimed_since, coalesce(sum(late), 0) AS late, coalesce(sum(uncancelled), 0) AS uncancelled
    FROM held),
q AS (
  SELECT count(*) AS queued, min(q.slot_since) AS since,
         count(*) FILTER (WHERE q.slot_since < ${LATE} AND coalesce(held.held < t.max_concurrent_runs, true)) AS late
    FROM run_heads q JOIN tenants t ON t.id = q.tenant_id LEFT JOIN held ON held.tenant_id = q.tenant_id
   WHERE q.slot = 'queued'),
p AS (
  SELECT count(*) AS parked, count(*) FILTER (WHERE wake_at < ${LATE}) AS late FROM run_heads WHERE slot = 'parked'),
w AS (
  SELECT count(*) FILTER (WHERE ${HOLDS_LOCK}) AS alive, count(*) FILTER (WHERE NOT ${HOLDS_LOCK}) AS missing FROM workers w)
SELECT json_build_object(
  'slots', json_build_object('limit', s.max_concurrent_runs, 'held', h.held, 'queued', q.queued, 'parked', p.parked),
  'leases', json_build_object('held', h.leased, 'expired', h.expired),
  'waiting', json_build_object('forSlotMs', ${msSince('q.since')}, 'forWorkerMs', ${msSince('h.unclaimed_since')}),
  'stuck', json_build_object(
    'queued', CASE WHEN h.held < s.max_concurrent_runs THEN q.late ELSE 0 END,
    'parked', p.late, 'held', h.late, 'cancelled', h.uncancelled),
  'workers', json_build_object('alive', w.alive, 'missing', w.missing),
  'views', json_build_object(
    'comparedAgoMs', ${msSince('coalesce(c.ended_at, c.began_at)')}, 'mended', c.mended,
    'mendedAgoMs', CASE WHEN c.mended_at IS NOT NULL THEN ${msSince('c.mended_at')} END)) AS figures
  FROM scheduler s, h, q, p, w, view_check c`,
};

/** SQL: whole milliseconds since a moment; 0 when there is none or it is still to come. */
function msSince(moment: string): string {
  return `coalesce(greatest(0, floor(extract(epoch FROM now() - ${moment}) * 1000)), 0)::bigint`;
}

/**
 * One statement that reads the runs that wait or execute and the workers, each through its own small index:
 * it costs what is going on and not what was ever stored. Nothing is locked.
 */
export async function readSystemFigures(database: Database): Promise<SystemFigures> {
  const [row] = await database.queryAgain<{ figures: string }>(readFigures);
  return JSON.parse(row!.figures) as SystemFigures;
}
