import { initialState, MAIN_CURSOR, nodeAt, RunDefinition, Walk, type ObjectStore, type RunKey } from '#libs/engine';
import {
  MAX_VALUES_BYTES,
  stamp,
  type EventEnvelope,
  type EventOf,
  type Principal,
  type RunSpec,
  type StampedEvent,
} from '#libs/events';
import { jsonBytes, newEventId, newUlid, type Clock, type RunId } from '#libs/kernel';
import type { NewRun, RunLedger } from '#libs/persistence';
import { requireTaken } from '#libs/runs';
import type { Caller } from '../auth/caller.js';
import { InvalidRequestError } from '../errors/request-errors.js';
import type { ForkEdits, ForkResponse } from '../history/dto/fork.js';
import { sizeProblem } from '../schema/values.js';
import { definedAgain } from './defined-again.js';
import { KeptCopies } from './kept-copies.js';
import type { KeyedRequest } from './keyed-request.js';
import type { PgRunSubmission } from './pg-run-submission.js';

type Checkpoint = EventOf<'checkpoint.completed'> & { seq: number };

/** How a run is made from another one. */
interface ForkOptions {
  edits?: ForkEdits | undefined;
  request: KeyedRequest | null;
}

/** Events that belong to the source alone: its status, its place, its people. */
const NOT_COPIED = /^(?:run|sandbox|setup|watchdog|context)\./;

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
    const { history, dropped } = await this.split(source, checkpoint);
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
        ...base.events.map((event) => this.born(event, source, checkpoint, actor)),
        ...history,
        ...this.contextEdits(edits, actor),
      ],
    };
    const copies = new KeptCopies(this.objects, source, run);
    for (const event of history) await copies.madeFor(event);
    await this.requireWhole(source);
    const kept = [...new Set(history.flatMap(startedStage))];
    const fork: ForkResponse = {
      source_run_id: source.runId,
      new_run_id: runId,
      target: `@${checkpoint.properties.ordinal}`,
      next_node_id: this.nextNode(run),
      kept_stages: kept,
      dropped_stages: dropped.filter((id) => !kept.includes(id)),
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

  /**
   * What a fork takes along, and the stages that began elsewhere. A loop restart is part of the edge that leads on from
   * the checkpoint and follows it in the same append. The log is read once, and what is not copied is let go.
   */
  private async split(source: RunKey, checkpoint: Checkpoint): Promise<{ history: StampedEvent[]; dropped: string[] }> {
    const history: StampedEvent[] = [];
    const dropped = new Set<string>();
    let lastSeq = checkpoint.seq;
    for await (const event of this.ledger.history(source, Number.MAX_SAFE_INTEGER - 1)) {
      if (event.event === 'loop.restart' && event.seq === lastSeq + 1) lastSeq = event.seq;
      if (event.seq <= lastSeq && !NOT_COPIED.test(event.event)) history.push(copied(event));
      else for (const stage of startedStage(event)) dropped.add(stage);
    }
    return { history, dropped: [...dropped] };
  }

  private born(event: StampedEvent, source: RunKey, checkpoint: Checkpoint, actor: Principal): StampedEvent {
    if (event.event !== 'run.created') return event;
    const fork_source_ref = {
      source_run_id: source.runId,
      checkpoint_seq: checkpoint.seq,
      checkpoint_ordinal: checkpoint.properties.ordinal,
    };
    return { ...event, actor, properties: { ...event.properties, fork_source_ref, provenance: { subject: actor } } };
  }

  private contextEdits(edits: ForkEdits | undefined, actor: Principal): StampedEvent[] {
    const values = edits?.context;
    if (!values || Object.keys(values).length === 0) return [];
    const bytes = jsonBytes(values);
    if (bytes > MAX_VALUES_BYTES)
      throw new InvalidRequestError([`edits.context ${sizeProblem(bytes, MAX_VALUES_BYTES)}.`]);
    return [stamp({ event: 'context.edited', actor, properties: { values } }, this.clock.now())];
  }

  /** Folds what the fork begins with: the node it goes on with must be one of its graph. */
  private nextNode({ runId, spec, events }: NewRun): string {
    const definition = new RunDefinition(runId, JSON.parse(spec.text) as RunSpec, null);
    const walk = new Walk(definition, initialState(definition.index.start.id), {
      now: this.clock.now(),
      epoch: 0,
      random: Math.random,
    });
    for (const event of events) walk.hear(event);
    const next = walk.state.resumeAt?.node ?? nodeAt(walk.state.cursors[MAIN_CURSOR]!);
    if (definition.node(next)) return next;
    throw new InvalidRequestError([
      `edits.workflow_source has no node "${next}", with which the run goes on; keep it, or fork from an earlier checkpoint.`,
    ]);
  }
}

function copied({ seq, run_id, ...event }: EventEnvelope): StampedEvent {
  const origin = event.origin ?? { run_id, seq };
  return { ...event, id: newEventId(Date.parse(event.ts)), origin } as StampedEvent;
}

function startedStage({ event, stage_id }: { event: string; stage_id?: string }): string[] {
  return event === 'stage.started' && stage_id ? [stage_id] : [];
}
