import {
  initialState,
  RunDefinition,
  STATE_VERSION,
  Walk,
  type RunKey,
  type RunState,
  type StoredState,
} from '#libs/engine';
import { decodeEvent, type RunSpec } from '#libs/events';
import type { Queryable, Statement } from '../database.js';
import { LogIsColdError } from '../errors.js';
import { orMark, splitMark, type ColdMark } from './cold-mark.js';

const readSnapshot: Statement = {
  name: 'read-snapshot',
  text: `SELECT seq, state FROM run_snapshots
          WHERE tenant_id = $1 AND run_id = $2 AND seq < $3 AND version = ${STATE_VERSION}
          ORDER BY seq DESC LIMIT 1`,
};

/** Looked at once a statement, and only where somebody says which run of this id he means. */
const IS_MEANT = `($6::timestamptz IS NULL OR EXISTS (SELECT FROM runs WHERE tenant_id = $1 AND id = $2 AND created_at = $6))`;

const readEvents: Statement = {
  name: 'read-events',
  text: `
(SELECT seq, body, false AS "isMark" FROM run_events
  WHERE tenant_id = $1 AND run_id = $2 AND seq >= $3 AND seq < $4 AND ${IS_MEANT} ORDER BY seq LIMIT $5)
${orMark(`AND to_seq >= $3 AND ${IS_MEANT}`)}`,
};

const readOthersStatement: Statement = {
  name: 'read-others',
  text: `SELECT seq, body FROM run_events
          WHERE tenant_id = $1 AND run_id = $2 AND seq > $3 AND epoch IS NULL ORDER BY seq`,
};

const PAGE = 1_000;
const NO_END = Number.MAX_SAFE_INTEGER;

export interface LogRow {
  seq: number;
  /** The envelope without its seq, as JSON. */
  body: string;
}

/** Reads at most `limit` rows of `[fromSeq, toSeq)`, in order; fewer only where the log ends. */
export type ReadRows = (run: RunKey, fromSeq: number, toSeq: number, limit: number) => Promise<LogRow[]>;

/**
 * At most `limit` rows of `[fromSeq, toSeq)` as far as they are in the table, in order; and the mark when the first of
 * them lie in the object store. Nothing when the run that was stored at `bornAt` is gone.
 */
export async function readLogRows(
  db: Queryable,
  run: RunKey & { bornAt?: string | undefined },
  fromSeq: number,
  toSeq: number,
  limit: number,
): Promise<{ rows: LogRow[]; mark: ColdMark | null }> {
  const values = [run.tenantId, run.runId, fromSeq, toSeq, limit, run.bornAt ?? null];
  return splitMark(await db.query<LogRow & { isMark: boolean }>(readEvents, values));
}

/** Events of a tail that are handed over as they are; of a longer one, the state is folded while it is read. */
const HANDED_OVER = 2 * PAGE;

/**
 * The newest snapshot of a run's state and the log after it; with a `toSeq`, as they stood before that event. A long log
 * without a usable snapshot is folded page by page, so that no more than {@link HANDED_OVER} events are held at once. Throws
 * {@link LogIsColdError} when a part of it lies in the object store, unless `read` reads there, too.
 */
export async function readState(
  db: Queryable,
  run: RunKey,
  specOf: () => Promise<RunSpec>,
  toSeq = NO_END,
  read: ReadRows = hotRows(db),
): Promise<Omit<StoredState, 'spec'>> {
  const [row] = await db.query<{ seq: number; state: string }>(readSnapshot, [run.tenantId, run.runId, toSeq]);
  let snapshot: StoredState['snapshot'] = row ? { seq: row.seq, state: JSON.parse(row.state) as RunState } : null;
  let tail: StoredState['tail'][number][] = [];
  let walk: Walk | undefined;
  for (let from = (row?.seq ?? 0) + 1; ;) {
    const rows = await read(run, from, toSeq, PAGE);
    tail.push(...rows.map(({ seq, body }) => decodeEvent(seq, body)));
    if (rows.length < PAGE) return { snapshot, tail };
    from = rows[rows.length - 1]!.seq + 1;
    if (tail.length < HANDED_OVER) continue;
    walk ??= walkFrom(run, await specOf(), snapshot);
    for (const event of tail) walk.hear(event);
    snapshot = { seq: from - 1, state: walk.state };
    tail = [];
  }
}

/** A walk that only hears: neither the moment nor the epoch has a part in its state. */
function walkFrom({ runId }: RunKey, spec: RunSpec, snapshot: StoredState['snapshot']): Walk {
  const definition = new RunDefinition(runId, spec, null);
  const state = snapshot?.state ?? initialState(definition.index.start.id);
  return new Walk(definition, state, { now: 0, epoch: 0, random: Math.random });
}

function hotRows(db: Queryable): ReadRows {
  return async (run, fromSeq, toSeq, limit) => {
    const { rows, mark } = await readLogRows(db, run, fromSeq, toSeq, limit);
    if (mark) throw new LogIsColdError(run.runId);
    return rows;
  };
}

/** What no worker wrote, after `seq`, in order. */
export async function readOthers(db: Queryable, run: RunKey, seq: number): Promise<StoredState['tail']> {
  const rows = await db.query<LogRow>(readOthersStatement, [run.tenantId, run.runId, seq]);
  return rows.map((row) => decodeEvent(row.seq, row.body));
}
