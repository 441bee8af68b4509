import {
  addBilling,
  addTiming,
  isBoundary,
  NO_TIME,
  NO_TOKENS,
  shownSpec,
  type RunSpec,
  type StageView,
} from '#libs/events';
import { type Clock, type RunId } from '#libs/kernel';
import type { Graph } from '#libs/language';
import type { RunLedger, RunListing, RunReader } from '#libs/persistence';
import type { Caller } from '../../edge/auth/caller.js';
import { NotForRunsError } from '../../edge/auth/errors.js';
import { runOf } from '../../edge/auth/run-tokens.js';
import type { Drawings } from '../../drawing/drawings.js';
import { InvalidRequestError } from '../../edge/errors/request-errors.js';
import type { EventEnvelope } from '../run-events/dto/event-envelope.js';
import type { RunBilling } from './dto/run-billing.js';
import {
  RUN_BUCKETS,
  type GraphDirection,
  type ListEventsQuery,
  type ListRunsQuery,
  type PageQuery,
  type RunBucket,
  type SelectorMatch,
} from './dto/run-queries.js';
import type { RunResponse } from './dto/run-response.js';
import type { RunStageResponse } from './dto/run-stage-response.js';
import type { WorkflowSettings } from '../manifests/dto/settings/workflow-settings.js';
import { decodeCursor, encodeCursor } from './list-cursor.js';
import { pageOfList, RunQueries, type Page, type RunPage } from './run-use-cases.js';
import { RunFinder } from './run-finder.js';
import { runResponse, stageResponse } from './run-response.js';
import { WholeEvents } from '../run-events/whole-events.js';

const ALL_STAGES = 1_000_000;

const IN_SIGHT: readonly RunBucket[] = RUN_BUCKETS.filter((bucket) => bucket !== 'archived' && bucket !== 'removing');

export class PgRunQueries extends RunQueries {
  private readonly whole: WholeEvents;
  private readonly finder: RunFinder;

  constructor(
    private readonly ledger: RunLedger,
    private readonly reader: RunReader,
    private readonly drawings: Drawings,
    private readonly clock: Clock,
  ) {
    super();
    this.whole = new WholeEvents(ledger, clock);
    this.finder = new RunFinder(reader);
  }

  async get({ tenantId }: Caller, runId: RunId): Promise<RunResponse> {
    return runResponse(await this.reader.get({ tenantId, runId }), this.clock.now());
  }

  async list(caller: Caller, query: ListRunsQuery): Promise<RunPage> {
    const { tenantId } = caller;
    const listing = listingOf({ ...query, ...(await this.parentFor(caller, query)) });
    const { runs, total, isTotalPartial, next } = await this.reader.list(tenantId, listing);
    const now = this.clock.now();
    return {
      data: runs.map((run) => runResponse(run, now)),
      meta: {
        has_more: next !== null,
        total,
        ...(isTotalPartial && { total_is_lower_bound: true }),
        ...(next && { next_cursor: encodeCursor(listing, next) }),
      },
    };
  }

  async resolve(caller: Caller, selector: string, match: SelectorMatch): Promise<RunResponse> {
    return this.get(caller, await this.finder.find(caller, selector, match));
  }

  async stages({ tenantId }: Caller, runId: RunId, { limit, offset }: PageQuery): Promise<Page<RunStageResponse>> {
    const run = await this.ledger.require({ tenantId, runId });
    const { stages, total } = await this.reader.stages(run, limit, offset);
    const now = this.clock.now();
    return pageOfList(
      stages.map((stage) => stageResponse(stage, now)),
      total,
      offset,
    );
  }

  async events(
    { tenantId }: Caller,
    runId: RunId,
    { since_seq, before_seq, order, limit }: ListEventsQuery,
  ): Promise<{ data: EventEnvelope[]; meta: { has_more: boolean } }> {
    const { lastSeq, bornAt } = await this.ledger.head({ tenantId, runId });
    const run = { tenantId, runId, bornAt };
    if (order === 'desc') {
      const end = Math.min(before_seq ?? lastSeq + 1, lastSeq + 1);
      const first = Math.max(1, end - limit);
      const rows = await this.ledger.readLog(run, first, limit, end);
      const data = (await this.whole.show(run, rows.map(envelopeOf), 'last')).toReversed();
      return { data, meta: { has_more: (data.at(-1)?.seq ?? 1) > 1 } };
    }
    const rows = await this.ledger.readLog(run, since_seq ?? 1, limit);
    const data = await this.whole.show(run, rows.map(envelopeOf), 'first');
    return { data, meta: { has_more: (data.at(-1)?.seq ?? lastSeq) < lastSeq } };
  }

  async settings(caller: Caller, runId: RunId): Promise<WorkflowSettings> {
    return (await this.spec(caller, runId)).settings as unknown as WorkflowSettings;
  }

  async billing({ tenantId }: Caller, runId: RunId): Promise<RunBilling> {
    const run = await this.ledger.require({ tenantId, runId });
    const [{ view }, { stages }] = [await this.reader.get(run), await this.reader.stages(run, ALL_STAGES, 0)];
    const rows = byNode(stages.filter((stage) => !isBoundary(stage)));
    const tokens = rows.map(({ billing }) => billing).reduce(addBilling, NO_TOKENS);
    return { stages: rows, totals: { ...tokens, timing: view.timing }, by_model: byModel(stages) };
  }

  async graphSource(caller: Caller, runId: RunId): Promise<string> {
    return (await this.spec(caller, runId)).workflow_source;
  }

  async graphSvg(caller: Caller, runId: RunId, direction?: GraphDirection): Promise<string> {
    const run = await this.ledger.require({ tenantId: caller.tenantId, runId });
    const { graph } = await this.spec(caller, runId);
    const { stages } = await this.reader.stages(run, ALL_STAGES, 0);
    const latest = new Map(stages.map(({ node_id, status }) => [node_id, status]));
    const states = latest.size > 0 ? latest : undefined;
    return this.drawings.draw(graph as unknown as Graph, { direction, states }, caller.tenantId);
  }

  /** A run lists children: its own, or those of a descendant that it names. */
  private async parentFor(caller: Caller, { parent_id }: ListRunsQuery): Promise<Pick<ListRunsQuery, 'parent_id'>> {
    const own = runOf(caller);
    if (own === undefined) return {};
    const parent = (parent_id ?? own) as RunId;
    const run = { tenantId: caller.tenantId, runId: parent };
    if (parent !== own && !(await this.ledger.descends(run, own))) throw new NotForRunsError();
    return { parent_id: parent };
  }

  private async spec({ tenantId }: Caller, runId: RunId): Promise<RunSpec> {
    return shownSpec(await this.ledger.spec({ tenantId, runId }));
  }
}

function envelopeOf({ json }: { json: string }): EventEnvelope {
  return JSON.parse(json) as EventEnvelope;
}

function listingOf(query: ListRunsQuery): RunListing {
  const { status, include_archived, parent_id, sort, direction, limit, offset, cursor } = query;
  const columns = status ?? (include_archived ? [...IN_SIGHT, 'archived' as const] : IN_SIGHT);
  const listing = { columns, parentId: parent_id ?? null, order: sort, direction, limit, offset };
  if (cursor === undefined) return listing;
  const after = decodeCursor(listing, cursor);
  if (after === 'other')
    throw new InvalidRequestError(['cursor belongs to a list with other parameters; send the same.']);
  if (after === null)
    throw new InvalidRequestError(['cursor cannot be read; send the "next_cursor" of the page before, as it was.']);
  return { ...listing, after };
}

/** One row a model, over the stages that asked it. */
function byModel(stages: readonly StageView[]): RunBilling['by_model'] {
  const rows = new Map<string, RunBilling['by_model'][number]>();
  for (const { model, billing } of stages) {
    if (!model) continue;
    const key = `${model.provider} ${model.model_id}`;
    const before = rows.get(key);
    rows.set(key, {
      model,
      stages: (before?.stages ?? 0) + 1,
      billing: before ? addBilling(before.billing, billing) : billing,
    });
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** One row a node, summed over its visits; state and start are those of the latest. */
function byNode(stages: readonly StageView[]): RunBilling['stages'] {
  const rows = new Map<string, RunBilling['stages'][number]>();
  for (const stage of stages) {
    const before = rows.get(stage.node_id);
    rows.set(stage.node_id, {
      stage: { id: stage.node_id, name: stage.name },
      model: stage.model ?? before?.model ?? null,
      billing: addBilling(before?.billing ?? NO_TOKENS, stage.billing),
      timing: addTiming(before?.timing ?? NO_TIME, stage.timing),
      started_at: stage.started_at,
      state: stage.status,
    });
  }
  return [...rows.values()];
}
