import type { RunKey } from '#libs/engine';
import type { Queryable, Statement } from '../database.js';

/** A stretch of a stored log: from `firstSeq` up to the next part's, in bytes `[start, end)` of the object. */
export interface LogPart {
  firstSeq: number;
  start: number;
  end: number;
  /** The last event of the object that it lies in; absent where that is the last event of the mark. */
  upTo?: number;
}

/** Says that the events up to `toSeq` are in the object store and not in the table. */
export interface ColdMark {
  toSeq: number;
  /** Of the text of the whole log. Tells it from the log of an earlier run with the same id. */
  sha256: string;
  parts: readonly LogPart[];
}

/** Every stored log of a run lies in this folder, which goes when the run goes. */
export function logFolder({ tenantId, runId }: RunKey): string {
  return `${tenantId}/runs/${runId}/log/`;
}

/** A log only grows, so for one run the same key always names the same events. */
export function logKey(run: RunKey, toSeq: number): string {
  return `${logFolder(run)}${toSeq}.ndjson.gz`;
}

/** The last event of the object in which a part lies: its name. */
export function objectOf({ toSeq }: Pick<ColdMark, 'toSeq'>, { upTo }: LogPart): number {
  return upTo ?? toSeq;
}

/** The part of SQL that adds the mark of a run's log as a last row to rows of `seq, body, "isMark"`, seen at the same moment. */
export function orMark(condition = ''): string {
  return `UNION ALL SELECT to_seq, json_build_object('sha256', sha256, 'parts', parts), true FROM cold_logs WHERE tenant_id = $1 AND run_id = $2 ${condition}`;
}

/** Takes the mark, if there is one, from the end of rows that were read with {@link orMark}. */
export function splitMark<Row extends { seq: number; body: string; isMark: boolean }>(
  rows: Row[],
): { rows: Row[]; mark: ColdMark | null } {
  const last = rows.at(-1);
  if (!last?.isMark) return { rows, mark: null };
  return { rows: rows.slice(0, -1), mark: { toSeq: last.seq, ...(JSON.parse(last.body) as Omit<ColdMark, 'toSeq'>) } };
}

const readMarkStatement: Statement = {
  name: 'read-cold-mark',
  text: 'SELECT to_seq AS "toSeq", sha256, parts FROM cold_logs WHERE tenant_id = $1 AND run_id = $2',
};

/** Where the beginning of a log lies; null when all of it is in the database. */
export async function readMark(db: Queryable, { tenantId, runId }: RunKey): Promise<ColdMark | null> {
  const [row] = await db.query<Omit<ColdMark, 'parts'> & { parts: string }>(readMarkStatement, [tenantId, runId]);
  return row ? { ...row, parts: JSON.parse(row.parts) as LogPart[] } : null;
}
