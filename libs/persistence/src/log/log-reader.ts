import type { RunKey } from '#libs/engine';
import type { EventName } from '#libs/events';
import type { Database, Statement } from '../database.js';
import { readLogRows, type LogRow } from './read-log.js';
import type { ColdLogs } from './cold-logs.js';
import { orMark, splitMark } from './cold-mark.js';

const readNamed: Statement = {
  name: 'read-events-named',
  text: `
(SELECT seq, body, false AS "isMark" FROM run_events
  WHERE tenant_id = $1 AND run_id = $2 AND event = ANY($3::text[]) ORDER BY seq)
${orMark()}`,
};

const readLastMoment: Statement = {
  name: 'read-last-moment',
  text: `
SELECT max(ts) AS ts, EXISTS (SELECT FROM cold_logs WHERE tenant_id = $1 AND run_id = $2) AS "isCold"
  FROM run_events WHERE tenant_id = $1 AND run_id = $2 AND event = ANY($3::text[])`,
};

/** Backwards from the end: few events follow one that ends a run. */
const readLast: Statement = {
  name: 'read-last-named',
  text: `
(SELECT seq, body, false AS "isMark" FROM run_events
  WHERE tenant_id = $1 AND run_id = $2 AND event = $3 ORDER BY seq DESC LIMIT 1)
${orMark()}`,
};

/** How far from the end of a log in the object store its last event of a name is looked for. */
const NEAR_END = 200;

/** Reads logs wherever they lie: in the database, in the object store, or the beginning there and the end here. */
export class LogReader {
  constructor(
    private readonly database: Database,
    private readonly cold: ColdLogs,
  ) {}

  /**
   * At most `limit` rows of `[fromSeq, toSeq)`, in order; fewer only where the log ends. With a `bornAt`, of the run that
   * was stored then: none when another one has its id.
   */
  async rows(
    run: RunKey & { bornAt?: string | undefined },
    fromSeq: number,
    toSeq: number,
    limit: number,
  ): Promise<LogRow[]> {
    const { rows, mark } = await readLogRows(this.database, run, fromSeq, toSeq, limit);
    if (!mark) return rows;
    const moved = await this.cold.read(run, mark, fromSeq, Math.min(toSeq, fromSeq + limit));
    return [...moved, ...rows].slice(0, limit);
  }

  /** The events of these names, in order. */
  async named(run: RunKey, names: readonly EventName[]): Promise<LogRow[]> {
    const values = [run.tenantId, run.runId, names];
    const { rows, mark } = splitMark(await this.database.queryAgain<LogRow & { isMark: boolean }>(readNamed, values));
    if (!mark) return rows;
    const moved: LogRow[] = [];
    for await (const events of this.cold.stretches(run, mark, 1, mark.toSeq + 1)) {
      moved.push(...events.filter(({ body }) => isNamed(body, names)));
    }
    return [...moved, ...rows];
  }

  /** The last event of this name; of a log in the object store only where it stands near the end. */
  async last(run: RunKey, name: EventName): Promise<LogRow | undefined> {
    const values = [run.tenantId, run.runId, name];
    const { rows, mark } = splitMark(await this.database.queryAgain<LogRow & { isMark: boolean }>(readLast, values));
    if (rows[0] || !mark) return rows[0];
    const moved = await this.cold.read(run, mark, Math.max(1, mark.toSeq - NEAR_END), mark.toSeq + 1);
    return moved.findLast(({ body }) => isNamed(body, [name]));
  }

  /** When the last of these events happened; null when none did. */
  async lastMoment(run: RunKey, names: readonly EventName[]): Promise<Date | null> {
    const values = [run.tenantId, run.runId, names];
    const [row] = await this.database.queryAgain<{ ts: Date | null; isCold: boolean }>(readLastMoment, values);
    if (row?.ts || !row?.isCold) return row?.ts ?? null;
    const last = (await this.named(run, names)).at(-1);
    return last ? new Date((JSON.parse(last.body) as { ts: string }).ts) : null;
  }
}

function isNamed(body: string, names: readonly EventName[]): boolean {
  const { event } = JSON.parse(body) as { event: EventName };
  return names.includes(event);
}
