import type { RunKey } from '#libs/engine';
import { applyToRunView, type EventEnvelope, type RunStatusKind, type RunView, type StageView } from '#libs/events';
import type { RunId, TenantId } from '#libs/kernel';
import { RunNotFoundError } from '#libs/runs';
import { Batcher } from '../batcher.js';
import type { Database, Statement } from '../database.js';
import { keyOf } from '../log/locked-heads.js';
import {
  findAmongNewest,
  findAmongWorkflows,
  findByPrefix,
  findPrefixAmongDescendants,
  findWorkflowAmongDescendants,
  nameWorkflows,
  nameWorkflowsAmongDescendants,
} from './find-statements.js';
import { listStatement, nextPlace, type ListedRow, type ListPlace, type RunListing } from './list-statement.js';
import { SEQ_OF_VIEW } from './run-view-row.js';
import type { RunViews } from './run-views.js';

/** A run as it is shown: the fold of its own log, and what other runs say about it. */
export interface ShownRun {
  view: RunView;
  /** Counted up to {@link CHILDREN_COUNTED}. */
  childrenCount: number;
  /** Place among the runs of the tenant that wait for a slot, from 1, counted up to {@link QUEUE_COUNTED}; null when it does not wait. */
  queuePosition: number | null;
}

/** A page of a list. */
export interface ListedRuns {
  runs: ShownRun[];
  total: number;
  /** There are more than were counted. */
  isTotalPartial: boolean;
  /** Behind which the next page begins; null at the end. */
  next: ListPlace | null;
}

/** A workflow that has runs, as a text means it. */
export interface NamedWorkflow {
  /** Its newest run. */
  runId: RunId;
  slug: string;
  /** Its name, or its slug where it has none. */
  workflow: string;
  /** The text is the slug or the name, in any case, and not only a part of it. */
  isExact: boolean;
}

/** A page asks for these of each of its runs, so that they are counted no further. */
const CHILDREN_COUNTED = 10_000;
const QUEUE_COUNTED = 1_000;

type ShownRow = RunKey & {
  seq: number;
  lastSeq: number;
  view: string;
  childrenCount: number;
  queuePosition: number | null;
  status: RunStatusKind;
  /** Why its last worker could not go on with it. */
  fault: string | null;
  /** The events after the view, as a JSON array of their bodies, as far as they are folded while reading. */
  tail: string | null;
};

/** Tails up to here are folded while reading; longer ones are stored first. */
const SHORT_TAIL = 500;

const shownColumns = `
  v.tenant_id AS "tenantId", v.run_id AS "runId", ${SEQ_OF_VIEW} AS seq, h.next_seq - 1 AS "lastSeq", v.view, h.status, h.fault,
  (SELECT count(*) FROM (SELECT FROM runs c WHERE c.tenant_id = v.tenant_id AND c.parent_id = v.run_id
    LIMIT ${CHILDREN_COUNTED}) c) AS "childrenCount",
  CASE WHEN h.slot = 'queued' THEN (SELECT count(*) FROM (SELECT FROM run_heads q WHERE q.tenant_id = h.tenant_id AND q.slot = 'queued'
    AND q.runnable_seq <= h.runnable_seq LIMIT ${QUEUE_COUNTED}) q) END AS "queuePosition",
  (SELECT json_agg(e.body ORDER BY e.seq) FROM run_events e WHERE e.tenant_id = v.tenant_id AND e.run_id = v.run_id
    AND e.seq > v.seq AND e.seq <= v.seq + ${SHORT_TAIL}) AS tail`;

const readShown: Statement = {
  name: 'read-shown-runs',
  text: `
SELECT ${shownColumns}
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k(tenant_id, run_id, place)
  JOIN run_views v ON v.tenant_id = k.tenant_id AND v.run_id = k.run_id
  JOIN run_heads h ON h.tenant_id = v.tenant_id AND h.run_id = v.run_id
 ORDER BY k.place`,
};

const readStages: Statement = {
  name: 'read-stages-page',
  text: `
SELECT view, count(*) OVER () AS total FROM stage_views
 WHERE tenant_id = $1 AND run_id = $2 ORDER BY first_seq, stage_id LIMIT $3 OFFSET $4`,
};

const countStages: Statement = {
  name: 'count-stages',
  text: 'SELECT count(*) AS total FROM stage_views WHERE tenant_id = $1 AND run_id = $2',
};

/** Reads runs exactly as their logs stand. */
export class RunReader {
  private readonly reads: Batcher<RunKey, ShownRun | undefined>;

  constructor(
    private readonly database: Database,
    private readonly views: RunViews,
  ) {
    this.reads = new Batcher((runs) => this.each(runs), { maxItems: 128, concurrency: 2 });
  }

  /** Callers of the same moment share a query. */
  async get(run: RunKey): Promise<ShownRun> {
    const shown = await this.reads.add(run);
    if (!shown) throw new RunNotFoundError(run.runId);
    return shown;
  }

  /** The runs that exist of these, in this order. */
  async getAll(runs: readonly RunKey[]): Promise<ShownRun[]> {
    return [...(await this.shown(runs)).values()];
  }

  /** At most so many of the ids that begin like this, the oldest first. */
  async idsBeginningWith(tenantId: TenantId, prefix: string, limit: number): Promise<RunId[]> {
    const rows = await this.database.queryAgain<{ runId: RunId }>(findByPrefix, [tenantId, prefix, limit]);
    return rows.map(({ runId }) => runId);
  }

  /**
   * The newest run of a workflow whose slug is this text or whose name holds it, in any case and with any dashes: among
   * the newest runs, else among the workflows of the tenant, each as it is written, some thousand of them.
   */
  async newestOfWorkflow(tenantId: TenantId, text: string): Promise<RunId | undefined> {
    for (const statement of [findAmongNewest, findAmongWorkflows]) {
      const [row] = await this.database.queryAgain<{ runId: RunId }>(statement, [tenantId, text]);
      if (row) return row.runId;
    }
    return undefined;
  }

  /** The workflows that {@link newestOfWorkflow} chooses among: those that the text names exactly first, then the newest. */
  async workflowsNamed(tenantId: TenantId, text: string, limit: number): Promise<NamedWorkflow[]> {
    return this.database.queryAgain<NamedWorkflow>(nameWorkflows, [tenantId, text, limit]);
  }

  /** As {@link idsBeginningWith}, of a run and the thousand nearest of its descendants. */
  async lineBeginningWith({ tenantId, runId }: RunKey, prefix: string, limit: number): Promise<RunId[]> {
    const values = [tenantId, prefix, runId, limit];
    const rows = await this.database.queryAgain<{ runId: RunId }>(findPrefixAmongDescendants, values);
    return rows.map((row) => row.runId);
  }

  /** As {@link newestOfWorkflow}, of a run and the thousand nearest of its descendants. */
  async newestOfLine({ tenantId, runId }: RunKey, text: string): Promise<RunId | undefined> {
    const [row] = await this.database.queryAgain<{ runId: RunId }>(findWorkflowAmongDescendants, [
      tenantId,
      text,
      runId,
    ]);
    return row?.runId;
  }

  /** As {@link workflowsNamed}, of a run and the thousand nearest of its descendants. */
  async workflowsOfLine({ tenantId, runId }: RunKey, text: string, limit: number): Promise<NamedWorkflow[]> {
    return this.database.queryAgain<NamedWorkflow>(nameWorkflowsAmongDescendants, [tenantId, text, runId, limit]);
  }

  /**
   * A page in the wished order, at the price of a page, however many runs there are. By creation and by column the
   * order is whole and exact. In any other order there are the newest {@link SORTED} of the runs that are meant, ordered by what
   * may be a moment behind. What the runs show is exact.
   */
  async list(tenantId: TenantId, listing: RunListing): Promise<ListedRuns> {
    const { statement, values } = listStatement(listing);
    const rows = await this.database.query<ListedRow>(statement, [tenantId, ...values]);
    const page = rows.filter((row) => row.runId !== null).slice(0, listing.limit);
    const runs = await this.getAll(page.map(({ runId }) => ({ tenantId, runId: runId as RunId })));
    const { total = 0, isPartial = false } = rows[0] ?? {};
    return { runs, total, isTotalPartial: isPartial, next: nextPlace(listing, rows) };
  }

  /** Stages in the order of their first event. */
  async stages(run: RunKey, limit: number, offset: number): Promise<{ stages: StageView[]; total: number }> {
    await this.views.catchUp([run]);
    const rows = await this.database.query<{ view: string; total: number }>(readStages, [
      run.tenantId,
      run.runId,
      limit,
      offset,
    ]);
    const total =
      rows[0]?.total ??
      (await this.database.query<{ total: number }>(countStages, [run.tenantId, run.runId]))[0]!.total;
    return { stages: rows.map(({ view }) => JSON.parse(view) as StageView), total };
  }

  private async each(runs: readonly RunKey[]): Promise<(ShownRun | undefined)[]> {
    const shown = await this.shown([...new Map(runs.map((run) => [keyOf(run), run])).values()]);
    return runs.map((run) => shown.get(keyOf(run)));
  }

  /** Those that exist, by their keys, in this order. */
  private async shown(runs: readonly RunKey[]): Promise<Map<string, ShownRun>> {
    if (runs.length === 0) return new Map();
    const rows = await this.database.queryAgain<ShownRow>(readShown, keysOf(runs));
    // At seq 0 a view is folded anew, and what its row still shows is no beginning of a fold.
    // Of a dead run nobody knows whether its log can be folded: it is shown as far as it was.
    const behind = rows.filter(
      ({ seq, lastSeq, status }) => seq === 0 || (lastSeq - seq > SHORT_TAIL && status !== 'dead'),
    );
    if (behind.length === 0) return new Map(rows.map((row) => [keyOf(row), folded(row)]));
    await this.views.catchUp(behind);
    return this.shown(runs);
  }
}

type Foldable = Pick<ShownRow, 'seq' | 'view' | 'tail'>;

function folded({ childrenCount, queuePosition, ...row }: ShownRow): ShownRun {
  return { view: row.status === 'dead' ? deadView(row) : viewOf(row), childrenCount, queuePosition };
}

function viewOf({ seq, view, tail }: Foldable): RunView {
  const bodies = JSON.parse(tail ?? '[]') as Omit<EventEnvelope, 'seq'>[];
  const envelopes = bodies.map((body, i) => ({ ...body, seq: seq + 1 + i }) as EventEnvelope);
  return envelopes.reduce(applyToRunView, JSON.parse(view) as RunView);
}

/** That a run is dead stands on its head alone: nobody could read, or add to, what its log says. */
function deadView({ fault, ...row }: Foldable & Pick<ShownRow, 'fault'>): RunView {
  const error = { message: fault ?? 'Nobody can read where this run stands.' };
  return { ...asFarAsFolded(row), status: { kind: 'dead' }, error, pending_control: null, questions: [] };
}

/** Where the rest of the log is what cannot be read, the run is shown as it was before. */
function asFarAsFolded(row: Foldable): RunView {
  try {
    return viewOf(row);
  } catch {
    return JSON.parse(row.view) as RunView;
  }
}

function keysOf(runs: readonly RunKey[]): [string[], string[]] {
  return [runs.map(({ tenantId }) => tenantId), runs.map(({ runId }) => runId)];
}
