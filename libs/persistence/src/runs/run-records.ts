import type { RunKey, StoredState } from '#libs/engine';
import {
  decodeEvent,
  isTerminalEvent,
  shownSpec,
  withSeq,
  type EventEnvelope,
  type EventName,
  type EventOf,
  type RunFailureReason,
  type RunSpec,
} from '#libs/events';
import type { Json, RunId, TenantId } from '#libs/kernel';
import { RunNotFoundError } from '#libs/runs';
import { Batcher } from '../batcher.js';
import type { Database, Queryable, Statement } from '../database.js';
import { DefinitionMissingError } from '../errors.js';
import type { ColdLogs } from '../log/cold-logs.js';
import { LogReader } from '../log/log-reader.js';
import { bornAt } from '../log/born-at.js';
import { Definitions, type DefinitionBytes } from './definitions.js';
import { keyOf, type LockedHead } from '../log/locked-heads.js';
import { readState, type LogRow, type ReadRows } from '../log/read-log.js';
import { descends, lineOf } from './link-parent.js';
import type { RecentEvents } from '../log/recent-events.js';
import type { RunOfMoment } from './run-of-moment.js';

const findChild: Statement = {
  name: 'find-child',
  text: 'SELECT FROM runs WHERE tenant_id = $1 AND parent_id = $2 OFFSET $3 LIMIT 1',
};

export interface StoredRun extends RunKey {
  manifestSha256: string;
  specSha256: string;
  parentId: string | null;
  /** Of the request whose idempotency key the run was found by; null where it was a creation, or found by its id. */
  requestSha256: string | null;
  /** What that request was told beside the run. */
  reply: Json;
}

type StoredRunRow = Omit<StoredRun, 'reply'> & { reply: string | null };

function storedRun({ reply, ...row }: StoredRunRow): StoredRun {
  return { ...row, reply: reply === null ? null : (JSON.parse(reply) as Json) };
}

const findRun: Statement = {
  name: 'find-run',
  text: `
SELECT r.tenant_id AS "tenantId", r.id AS "runId", r.manifest_sha256 AS "manifestSha256", r.spec_sha256 AS "specSha256",
       r.parent_id AS "parentId", k.request_sha256 AS "requestSha256", k.reply
  FROM (SELECT) one LEFT JOIN idempotency_keys k ON k.tenant_id = $1 AND k.key = $3
  JOIN runs r ON r.tenant_id = $1 AND r.id = coalesce(k.run_id, $2)`,
};

const HISTORY_PAGE = 1_000;

/** Where a run stood a moment ago. */
interface RunHead extends RunKey {
  /** When it was stored: tells it from an earlier run with the same id. */
  bornAt: string;
  lastSeq: number;
  status: LockedHead['status'];
  slot: LockedHead['slot'];
  isArchived: boolean;
}

const readHeads: Statement = {
  name: 'read-heads',
  text: `
SELECT h.tenant_id AS "tenantId", h.run_id AS "runId", h.next_seq - 1 AS "lastSeq", h.status, h.slot,
       h.archived_at IS NOT NULL AS "isArchived", ${bornAt('r.created_at')} AS "bornAt"
  FROM unnest($1::text[], $2::text[]) AS k(tenant_id, run_id)
  JOIN run_heads h USING (tenant_id, run_id) JOIN runs r ON r.tenant_id = h.tenant_id AND r.id = h.run_id`,
};

/** What is stored of runs, as far as it is read: where they stand, what they were made of, and their logs, hot or cold. */
export class RunRecords {
  private readonly headReads: Batcher<RunKey, RunHead | undefined>;
  private readonly definitions: Definitions;
  private readonly logs: LogReader;

  constructor(
    protected readonly database: Database,
    cold: ColdLogs,
    protected readonly recent: RecentEvents,
  ) {
    this.definitions = new Definitions(database);
    this.logs = new LogReader(database, cold);
    this.headReads = new Batcher((runs) => this.headsOf(runs), { maxItems: 1_000, concurrency: 2 });
  }

  /** By its idempotency key if a run has it, else by its id. */
  async find({ tenantId, runId }: RunKey, idempotencyKey: string | null = null): Promise<StoredRun | undefined> {
    const [row] = await this.database.queryAgain<StoredRunRow>(findRun, [tenantId, runId, idempotencyKey]);
    return row && storedRun(row);
  }

  protected async findByKey(tenantId: TenantId, idempotencyKey: string): Promise<StoredRun | undefined> {
    const [row] = await this.database.queryAgain<StoredRunRow>(findRun, [tenantId, null, idempotencyKey]);
    return row && storedRun(row);
  }

  async require(run: RunKey): Promise<StoredRun> {
    const stored = await this.find(run);
    if (!stored) throw new RunNotFoundError(run.runId);
    return stored;
  }

  /** A run and all its ancestors, the last of which may be gone; empty when there is no such run. */
  async line(run: RunKey): Promise<Set<RunId>> {
    const ids = [...(await lineOf(this.database, run))].flat();
    return new Set(ids.filter((id) => id !== null));
  }

  /** Whether a run has so many children or more, whether they are over or not; no more of them are looked at. */
  async hasChildren({ tenantId, runId }: RunKey, count: number): Promise<boolean> {
    if (count === 0) return true;
    return (await this.database.queryAgain(findChild, [tenantId, runId, count - 1])).length > 0;
  }

  /** Whether a run descends from another one, a hundred generations at most; false where either is not there. */
  descends(run: RunKey, ancestor: RunId): Promise<boolean> {
    return descends(this.database, run, ancestor);
  }

  async spec(run: RunKey): Promise<RunSpec> {
    const { specSha256 } = await this.require(run);
    return this.definitions.read<RunSpec>(run.tenantId, specSha256);
  }

  /** Where a run stands, or stood before `toSeq`; read without a lock: somebody may append meanwhile. */
  state(run: RunKey, toSeq?: number): Promise<StoredState & StoredRun> {
    return this.loadState(this.database, run, toSeq, (...page) => this.logs.rows(...page));
  }

  /** Callers of the same moment share a query. */
  async head(run: RunKey): Promise<RunHead> {
    const head = await this.headReads.add(run);
    if (!head) throw new RunNotFoundError(run.runId);
    return head;
  }

  /** In no order; a run that does not exist is missing from the result. */
  heads(runs: readonly RunKey[]): Promise<RunHead[]> {
    return this.database.queryAgain<RunHead>(readHeads, [
      runs.map(({ tenantId }) => tenantId),
      runs.map(({ runId }) => runId),
    ]);
  }

  /**
   * Events of `[fromSeq, toSeq)` as they are sent: the JSON text of each envelope, in order, at most `limit`. Without a
   * `toSeq` it may end before the log does: read on until nothing comes. With a `bornAt`, the log of that run and of none
   * that has its id since: nothing when it is gone.
   */
  async readLog(
    run: RunOfMoment,
    fromSeq: number,
    limit: number,
    toSeq?: number,
  ): Promise<{ seq: number; json: string; terminal: boolean }[]> {
    const end = toSeq ?? Number.MAX_SAFE_INTEGER;
    const count = Math.min(limit, end - fromSeq);
    const recent = run.bornAt === undefined ? undefined : this.recent.read(run, run.bornAt, fromSeq, count);
    const isEnough = recent?.length === count || toSeq === undefined;
    const rows = recent && isEnough ? recent : await this.storedRows(run, fromSeq, end, limit);
    return Promise.all(
      rows.map(async ({ seq, body }) => {
        const json = withSeq(seq, seq === 1 ? await this.expandCreated(run, body) : body);
        return { seq, json, terminal: isTerminalEvent(eventName(body)) };
      }),
    );
  }

  /** The events of one name, in order. */
  async eventsNamed<Name extends EventName>(
    run: RunKey,
    name: Name,
  ): Promise<(EventOf<Name> & { seq: number; ts: string })[]> {
    const rows = await this.logs.named(run, [name]);
    return rows.map(
      ({ seq, body }) => decodeEvent(seq, body) as unknown as EventOf<Name> & { seq: number; ts: string },
    );
  }

  /** Why a failed run failed; null where its log does not say so near its end. */
  protected async failureOf(run: RunKey): Promise<RunFailureReason | null> {
    const row = await this.logs.last(run, 'run.failed');
    return row ? (decodeEvent(row.seq, row.body) as EventOf<'run.failed'>).properties.failure.reason : null;
  }

  /** When the last of these events happened; null when none did. */
  lastMoment(run: RunKey, names: readonly EventName[]): Promise<Date | null> {
    return this.logs.lastMoment(run, names);
  }

  /** The log up to `toSeq`, page by page: never all of it at once. */
  async *history(run: RunKey, toSeq: number): AsyncGenerator<EventEnvelope, void> {
    for (let from = 1; from <= toSeq;) {
      const rows = await this.logs.rows(run, from, toSeq + 1, Math.min(HISTORY_PAGE, toSeq - from + 1));
      for (const { seq, body } of rows) yield decodeEvent(seq, body);
      if (rows.length === 0) return;
      from = rows[rows.length - 1]!.seq + 1;
    }
  }

  /** A stored definition, by its digest. */
  definition<T>(tenantId: TenantId, sha256: string): Promise<T> {
    return this.definitions.read<T>(tenantId, sha256);
  }

  /** A definition as it is stored, for another run of it. Throws {@link DefinitionMissingError}. */
  storedDefinition(tenantId: TenantId, sha256: string): Promise<DefinitionBytes> {
    return this.definitions.stored(tenantId, sha256);
  }

  private async storedRows(run: RunOfMoment, fromSeq: number, toSeq: number, limit: number): Promise<LogRow[]> {
    const rows = await this.logs.rows(run, fromSeq, toSeq, limit);
    if (run.bornAt !== undefined) this.recent.identify(run, run.bornAt, rows);
    return rows;
  }

  private async headsOf(runs: readonly RunKey[]): Promise<(RunHead | undefined)[]> {
    const distinct = new Map(runs.map((run) => [keyOf(run), run]));
    const heads = new Map((await this.heads([...distinct.values()])).map((head) => [keyOf(head), head]));
    return runs.map((run) => heads.get(keyOf(run)));
  }

  /** Reads in a transaction, too. */
  protected async loadState(
    tx: Queryable,
    run: RunKey,
    toSeq?: number,
    read?: ReadRows,
  ): Promise<StoredState & StoredRun> {
    const [row] = await tx.query<StoredRunRow>(findRun, [run.tenantId, run.runId, null]);
    if (!row) throw new RunNotFoundError(run.runId);
    const spec = await new Definitions(tx).read<RunSpec>(run.tenantId, row.specSha256);
    return { ...storedRun(row), spec, ...(await readState(tx, run, async () => spec, toSeq, read)) };
  }

  /** `run.created` holds the digest of a large spec; readers get the spec itself, unless the run outlived it. */
  private async expandCreated(run: RunKey, body: string): Promise<string> {
    const envelope = JSON.parse(body) as { properties: { spec_blob: string } & Partial<RunSpec> };
    const { properties } = envelope;
    const spec = properties.settings
      ? properties
      : await this.definitions.read<RunSpec>(run.tenantId, properties.spec_blob).catch(nullIfMissing);
    return spec ? JSON.stringify({ ...envelope, properties: { ...properties, ...shownSpec(spec) } }) : body;
  }
}

function eventName(body: string): string {
  return /"event":"([^"]*)"/.exec(body)?.[1] ?? '';
}

function nullIfMissing(thrown: unknown): null {
  if (thrown instanceof DefinitionMissingError) return null;
  throw thrown;
}
