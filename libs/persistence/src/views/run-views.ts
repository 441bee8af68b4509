import type { RunKey } from '#libs/engine';
import { decodeEvent, VIEW_VERSION, type StageView } from '#libs/events';
import type { Database, Queryable, Statement } from '../database.js';
import type { ColdLogs } from '../log/cold-logs.js';
import type { ColdMark, LogPart } from '../log/cold-mark.js';
import { keyOf } from '../log/locked-heads.js';
import type { LogRow } from '../log/read-log.js';
import { prepared } from '../prepared.js';
import { SEQ_OF_VIEW, viewRows, type ViewRow } from './run-view-row.js';
import { ViewFold } from './view-fold.js';

/** Events folded in one go: a long log is caught up in several transactions. */
const PAGE = 2_000;

const lockBehind: Statement = {
  name: 'lock-views-behind',
  text: `
SELECT v.tenant_id AS "tenantId", v.run_id AS "runId", ${SEQ_OF_VIEW} AS seq, v.view, c.to_seq AS "movedTo", c.sha256, c.parts
  FROM run_views v JOIN unnest($1::text[], $2::text[]) AS k(tenant_id, run_id)
    ON v.tenant_id = k.tenant_id AND v.run_id = k.run_id
  JOIN run_heads h ON h.tenant_id = v.tenant_id AND h.run_id = v.run_id
  LEFT JOIN cold_logs c ON c.tenant_id = v.tenant_id AND c.run_id = v.run_id AND c.to_seq > ${SEQ_OF_VIEW}
 WHERE ${SEQ_OF_VIEW} < h.next_seq - 1
 ORDER BY v.tenant_id, v.run_id FOR NO KEY UPDATE OF v`,
};

const readTails: Statement = {
  name: 'read-view-tails',
  text: `
SELECT k.tenant_id AS "tenantId", k.run_id AS "runId", e.seq, e.body
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS k(tenant_id, run_id, after)
 CROSS JOIN LATERAL (
   SELECT seq, body FROM run_events WHERE tenant_id = k.tenant_id AND run_id = k.run_id AND seq > k.after
    ORDER BY seq LIMIT ${PAGE}) e`,
};

const readStages: Statement = {
  name: 'read-stage-views',
  text: `
SELECT s.tenant_id AS "tenantId", s.run_id AS "runId", s.view
  FROM stage_views s JOIN unnest($1::text[], $2::text[]) AS k(tenant_id, run_id)
    ON s.tenant_id = k.tenant_id AND s.run_id = k.run_id
 WHERE s.is_open`,
};

const writeViews = prepared<readonly ViewRow[]>(
  'write-views',
  (p) => `
UPDATE run_views v
   SET seq = w.seq, version = ${VIEW_VERSION}, view = w.view, title = w.title, workflow = w.workflow, repository = w.repository,
       created_at = w.created_at, updated_at = w.updated_at, started_at = w.started_at, completed_at = w.completed_at
  FROM ${viewRows(p, (rows) => rows)}
 WHERE v.tenant_id = w.tenant_id AND v.run_id = w.run_id`,
);

const writeStages: Statement = {
  name: 'write-stage-views',
  text: `
INSERT INTO stage_views (tenant_id, run_id, stage_id, first_seq, is_open, view)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::boolean[], $6::json[])
ON CONFLICT (tenant_id, run_id, stage_id) DO UPDATE SET is_open = excluded.is_open, view = excluded.view`,
};

const deleteStages: Statement = {
  name: 'delete-stage-views',
  text: `
DELETE FROM stage_views s USING unnest($1::text[], $2::text[]) AS k(tenant_id, run_id)
 WHERE s.tenant_id = k.tenant_id AND s.run_id = k.run_id`,
};

const resetView: Statement = {
  name: 'reset-view',
  text: `
INSERT INTO run_views (version, tenant_id, run_id, seq, view, title, workflow, created_at, updated_at)
SELECT ${VIEW_VERSION}, tenant_id, id, 0, '{}', '', '', created_at, created_at FROM runs WHERE tenant_id = $1 AND id = $2
ON CONFLICT (tenant_id, run_id) DO UPDATE SET seq = 0`,
};

/**
 * The read models of runs and stages: folds of the log that may be a moment behind. {@link catchUp} brings them to the
 * head, so a reader that calls it first reads what is exact; two callers wait for each other and fold nothing twice.
 */
export class RunViews {
  constructor(
    private readonly database: Database,
    private readonly cold: ColdLogs,
  ) {}

  async catchUp(runs: readonly RunKey[]): Promise<void> {
    let moved: MovedRows = new Map();
    for (let behind = runs; behind.length > 0;) {
      const folded = await this.fold(behind, moved);
      // Fetched between two transactions: none waits for the object store.
      moved = await this.fetch(folded.moved);
      behind = folded.behind;
    }
  }

  /** Folds at most a page for each run; returns those that have more, and what of that lies in the object store. */
  private fold(runs: readonly RunKey[], moved: MovedRows): Promise<{ behind: RunKey[]; moved: MovedTail[] }> {
    return this.database.transaction(async (tx) => {
      const rows = await tx.query<Behind>(lockBehind, keysOf(runs));
      if (rows.length === 0) return { behind: [], moved: [] };
      const folds = new Map(rows.map((row) => [keyOf(row), new Fold(row)]));
      await forgetStages(
        tx,
        rows.filter(({ seq }) => seq === 0),
      );
      const hot = rows.filter(({ movedTo }) => movedTo === null);
      const tails = await tx.query<RunKey & LogRow>(readTails, [...keysOf(hot), hot.map(({ seq }) => seq)]);
      const open = await tx.query<RunKey & { view: string }>(readStages, keysOf(rows));
      for (const row of open) folds.get(keyOf(row))?.know(JSON.parse(row.view) as StageView);
      for (const row of tails) folds.get(keyOf(row))?.apply(decodeEvent(row.seq, row.body));
      for (const fold of folds.values()) fold.applyMoved(moved.get(keyOf(fold)) ?? []);
      await write(tx, [...folds.values()]);
      const behind = [...folds.values()].filter(({ count, mark }) => count === PAGE || mark !== null);
      return { behind: behind.map(({ run }) => run), moved: behind.flatMap((fold) => fold.missing()) };
    });
  }

  /** Builds again, whatever the rows say and whether they are there; the same log gives the same rows. */
  async rebuild(run: RunKey): Promise<void> {
    await this.database.queryAgain(resetView, [run.tenantId, run.runId]);
    await this.catchUp([run]);
  }

  private async fetch(tails: readonly MovedTail[]): Promise<MovedRows> {
    const moved = new Map<string, LogRow[]>();
    for (const { run, mark, fromSeq } of tails) {
      moved.set(keyOf(run), await this.cold.read(run, mark, fromSeq, fromSeq + PAGE));
    }
    return moved;
  }
}

/** A view that is behind its log, locked. With a mark when the events that it misses first lie in the object store. */
type Behind = RunKey & {
  seq: number;
  view: string;
  movedTo: number | null;
  sha256: string | null;
  parts: string | null;
};

/** Events of runs that lie in the object store, by the keys of the runs. */
type MovedRows = ReadonlyMap<string, readonly LogRow[]>;

/** Events that a view misses and that are not in the database. */
interface MovedTail {
  run: RunKey;
  mark: ColdMark;
  fromSeq: number;
}

/** One run's views while its tail is folded. */
class Fold extends ViewFold implements ViewRow {
  readonly tenantId: RunKey['tenantId'];
  readonly runId: RunKey['runId'];
  readonly mark: ColdMark | null;

  constructor({ tenantId, runId, movedTo, sha256, parts, ...stored }: Behind) {
    super(stored);
    this.tenantId = tenantId;
    this.runId = runId;
    this.mark = movedTo === null ? null : { toSeq: movedTo, sha256: sha256!, parts: JSON.parse(parts!) as LogPart[] };
  }

  get run(): RunKey {
    return { tenantId: this.tenantId, runId: this.runId };
  }

  /** Somebody else may have folded these since they were fetched, or the log may be back in the database. */
  applyMoved(rows: readonly LogRow[]): void {
    if (this.mark === null) return;
    for (const { seq, body } of rows) if (seq === this.seq + 1) this.apply(decodeEvent(seq, body));
  }

  /** What is to be fetched before the fold can go on. */
  missing(): MovedTail[] {
    if (this.mark === null || this.seq >= this.mark.toSeq) return [];
    return [{ run: this.run, mark: this.mark, fromSeq: this.seq + 1 }];
  }
}

/** A fold that begins anew knows no stages. */
async function forgetStages(tx: Queryable, runs: readonly RunKey[]): Promise<void> {
  if (runs.length > 0) await tx.query(deleteStages, keysOf(runs));
}

async function write(tx: Queryable, folds: readonly Fold[]): Promise<void> {
  const { statement, values } = writeViews(folds);
  await tx.query(statement, values);
  const stages = folds.flatMap(({ run, changed }) => [...changed.values()].map((stage) => ({ run, stage })));
  if (stages.length === 0) return;
  await tx.query(writeStages, [
    ...keysOf(stages.map(({ run }) => run)),
    stages.map(({ stage }) => stage.id),
    stages.map(({ stage }) => stage.first_seq),
    stages.map(({ stage }) => stage.ended_at === null),
    stages.map(({ stage }) => JSON.stringify(stage)),
  ]);
}

function keysOf(runs: readonly RunKey[]): [string[], string[]] {
  return [runs.map(({ tenantId }) => tenantId), runs.map(({ runId }) => runId)];
}
