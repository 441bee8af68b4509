import { MAIN_CURSOR, nodeAt, type ObjectStore, type RunKey } from '#libs/engine';
import { MAX_VALUES_BYTES, stamp, type Principal, type RunSpec, type StampedEvent } from '#libs/events';
import { jsonBytes, newEventId, newUlid, type Clock, type RunId } from '#libs/kernel';
import { parseDefinition, type NewRun, type RunLedger } from '#libs/persistence';
import { ForkedHistory, forkedFrom, requireTaken, walkToRead, type Checkpoint } from '#libs/runs';
import type { Caller } from '../../edge/auth/caller.js';
import { InvalidRequestError } from '../../edge/errors/request-errors.js';
import type { ForkEdits, ForkResponse } from '../runs/dto/fork.js';
import { sizeProblem } from '../../edge/schema/values.js';
import { definedAgain } from '../runs/defined-again.js';
import { KeptCopies } from './kept-copies.js';
import type { KeyedRequest } from '../runs/keyed-request.js';
import type { PgRunSubmission } from '../runs/pg-run-submission.js';

/** How a run is made from another one. */
interface ForkOptions {
  edits?: ForkEdits | undefined;
  request: KeyedRequest | null;
}

/** Makes runs that go on from a checkpoint of another one. */
export class RunForking {
  constructor(
    private readonly ledger: RunLedger,
    private readonly submission: PgRunSubmission,
    private readonly objects: ObjectStore,
    private readonly clock: Clock,
  ) {}

  /** Makes one run for a keyed request: every repeat of it, even a concurrent one, gets the same run. */
  async make(
    source: RunKey,
    checkpoint: Checkpoint,
    caller: Caller,
    { edits, request }: ForkOptions,
  ): Promise<ForkResponse> {
    const actor = caller.principal;
    const history = await this.historyOf(source, checkpoint);
    const base = edits
      ? await this.submission.changed(source, caller, edits)
      : await definedAgain(this.ledger, source, this.clock.now());
    const runId = newUlid(this.clock.now()) as RunId;
    const run: NewRun = {
      ...base,
      runId,
      parentId: null,
      idempotency: null,
      events: [
        ...forkedFrom(base.events, source.runId, checkpoint, actor),
        ...history.copies,
        ...this.contextEdits(edits, actor),
      ],
    };
    const copies = new KeptCopies(this.objects, source, run);
    for (const event of history.copies) await copies.madeFor(event);
    await this.requireWhole(source);
    const fork: ForkResponse = {
      source_run_id: source.runId,
      new_run_id: runId,
      target: `@${checkpoint.properties.ordinal}`,
      next_node_id: this.nextNode(run, await this.specOf(run, edits)),
      kept_stages: history.keptStages,
      dropped_stages: history.droppedStages,
    };
    if (!request) {
      await this.ledger.create(run);
      return fork;
    }
    const { reply } = await this.ledger.create({ ...run, idempotency: { ...request, reply: { ...fork } } });
    return reply as unknown as ForkResponse;
  }

  /** A removal marks the run before it deletes what the run kept: while the run is not marked, the copies are complete. */
  private async requireWhole(source: RunKey): Promise<void> {
    // A repeat of the request may have archived it meanwhile, which takes nothing from it.
    requireTaken(source.runId, { ...(await this.ledger.head(source)), isArchived: false }, 'fork');
  }

  /** What the same request was told before; undefined when it was not made yet. */
  async madeBefore({ tenantId }: Caller, request: KeyedRequest | null): Promise<ForkResponse | undefined> {
    const repeated = request && (await this.ledger.repeated(tenantId, request));
    return repeated ? (repeated.reply as unknown as ForkResponse) : undefined;
  }

  /** The log is read once. */
  private async historyOf(source: RunKey, checkpoint: Checkpoint): Promise<ForkedHistory> {
    const history = new ForkedHistory(checkpoint.seq, newEventId);
    for await (const event of this.ledger.history(source, Number.MAX_SAFE_INTEGER - 1)) history.follow(event);
    return history;
  }

  private contextEdits(edits: ForkEdits | undefined, actor: Principal): StampedEvent[] {
    const values = edits?.context;
    if (!values || Object.keys(values).length === 0) return [];
    const bytes = jsonBytes(values);
    if (bytes > MAX_VALUES_BYTES)
      throw new InvalidRequestError([`edits.context ${sizeProblem(bytes, MAX_VALUES_BYTES)}.`]);
    return [stamp({ event: 'context.edited', actor, properties: { values } }, this.clock.now())];
  }

  private async specOf({ tenantId, spec }: NewRun, edits: ForkEdits | undefined): Promise<RunSpec> {
    return edits ? parseDefinition(spec) : this.ledger.definition(tenantId, spec.sha256);
  }

  /** Folds what the fork begins with: the node it goes on with must be one of its graph. */
  private nextNode({ runId, events }: NewRun, spec: RunSpec): string {
    const tail = events.map((event, i) => ({ ...event, seq: i + 1 }));
    const stored = { spec, snapshot: null, tail };
    const { definition, state } = walkToRead(runId, stored, this.clock.now());
    const next = state.resumeAt?.node ?? nodeAt(state.cursors[MAIN_CURSOR]!);
    if (definition.node(next)) return next;
    throw new InvalidRequestError([
      `edits.workflow_source has no node "${next}", with which the run goes on; keep it, or fork from an earlier checkpoint.`,
    ]);
  }
}
