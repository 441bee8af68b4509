import { MAIN_CURSOR, openQuestions, wholeCheckpoint, wholeContext, type RunKey } from '#libs/engine';
import { shownSpec, STATUS_EVENTS } from '#libs/events';
import { messageOf, type Clock, type JsonObject, type RunId } from '#libs/kernel';
import type { RunLedger, RunReader } from '#libs/persistence';
import { checkpointFor, executionOf, requireTaken, RunArchivedError, walkToRead, type Checkpoint } from '#libs/runs';
import type { Caller } from '../../edge/auth/caller.js';
import type { RunCheckpoint } from './dto/checkpoint.js';
import type { ForkRequest, ForkResponse, RewindRequest, RewindResponse } from '../runs/dto/fork.js';
import type { RunProjection } from './dto/projection.js';
import type { TimelineEntryResponse } from './dto/timeline.js';
import { RunHistory } from './run-history.js';
import { keyedRequest } from '../runs/keyed-request.js';
import type { RunForking } from './run-forking.js';
import { questionResponse } from '../questions/pg-run-questions.js';
import { stageResponse } from '../runs/run-response.js';

const ALL_STAGES = 1_000_000;

export class PgRunHistory extends RunHistory {
  constructor(
    private readonly ledger: RunLedger,
    private readonly reader: RunReader,
    private readonly forking: RunForking,
    private readonly clock: Clock,
  ) {
    super();
  }

  async timeline({ tenantId }: Caller, runId: RunId): Promise<TimelineEntryResponse[]> {
    const run = await this.ledger.require({ tenantId, runId });
    return (await this.checkpoints(run)).map((checkpoint) => ({
      ordinal: checkpoint.properties.ordinal,
      node_name: checkpoint.properties.current_node,
      visit: executionOf(checkpoint),
      checkpoint_seq: checkpoint.seq,
      run_commit_sha: null,
    }));
  }

  async state(caller: Caller, runId: RunId): Promise<RunProjection> {
    const run = { tenantId: caller.tenantId, runId };
    const stored = await this.ledger.state(run);
    const { definition, state } = walkToRead(runId, stored, this.clock.now());
    const { view } = await this.reader.get(run);
    const { stages } = await this.reader.stages(run, ALL_STAGES, 0);
    const moved = await this.ledger.lastMoment(run, STATUS_EVENTS);
    const open = openQuestions(state).map(questionResponse);
    return {
      title: view.title,
      parent_id: view.parent_id,
      spec: shownSpec(stored.spec) as unknown as JsonObject,
      status: view.status,
      status_updated_at: moved?.toISOString() ?? view.timestamps.created_at,
      last_event_at: view.timestamps.last_event_at,
      archived_at: view.archived_at,
      pending_control: view.pending_control,
      superseded_by: view.superseded_by,
      retried_from: view.retried_from,
      checkpoints: await this.timeline(caller, runId),
      pending_interviews: Object.fromEntries(open.map((question) => [question.id, question])),
      stages: Object.fromEntries(stages.map((stage) => [stage.id, stageResponse(stage, this.clock.now())])),
      checkpoint: await this.checkpoint(caller, runId),
      context: wholeContext(definition, state, state.cursors[MAIN_CURSOR]!),
    };
  }

  async checkpoint({ tenantId }: Caller, runId: RunId): Promise<RunCheckpoint | null> {
    const run = await this.ledger.require({ tenantId, runId });
    const last = (await this.checkpoints(run)).at(-1);
    if (!last) return null;
    const folded = walkToRead(runId, await this.ledger.state(run, last.seq + 1), this.clock.now());
    const { current_node, next_node_id } = last.properties;
    return {
      timestamp: last.ts,
      current_node,
      ...(next_node_id !== undefined && { next_node_id }),
      ...wholeCheckpoint(folded, last),
    };
  }

  async fork(
    caller: Caller,
    runId: RunId,
    { target, edits }: ForkRequest,
    idempotencyKey?: string,
  ): Promise<ForkResponse> {
    const source = { tenantId: caller.tenantId, runId };
    const request = keyedRequest(idempotencyKey, { operation: 'fork', source: runId, target, edits });
    const before = await this.forking.madeBefore(caller, request);
    if (before) return before;
    requireTaken(runId, await this.ledger.head(source), 'fork');
    const checkpoint = await this.find(source, target ?? undefined);
    return this.forking.make(source, checkpoint, caller, { edits, request });
  }

  async rewind(
    caller: Caller,
    runId: RunId,
    { target }: RewindRequest,
    idempotencyKey?: string,
  ): Promise<RewindResponse> {
    const source = { tenantId: caller.tenantId, runId };
    const request = keyedRequest(idempotencyKey, { operation: 'rewind', source: runId, target });
    const before = await this.forking.madeBefore(caller, request);
    if (before) return this.replaced(source, before, caller);
    requireTaken(runId, await this.ledger.head(source), 'rewind');
    const checkpoint = await this.find(source, target ?? undefined);
    return this.replaced(source, await this.forking.make(source, checkpoint, caller, { request }), caller);
  }

  /** Retires a run for the fork that replaces it, unless that was done before, and says so. */
  private async replaced(
    source: RunKey,
    { new_run_id, target }: ForkResponse,
    caller: Caller,
  ): Promise<RewindResponse> {
    const rewound = { source_run_id: source.runId, new_run_id, target };
    try {
      if (!(await this.isReplaced(source, new_run_id))) await this.retire(source, rewound, caller);
      return { ...rewound, archived: true };
    } catch (thrown) {
      if (thrown instanceof RunArchivedError && (await this.isReplaced(source, new_run_id)))
        return { ...rewound, archived: true };
      return { ...rewound, archived: false, archive_error: messageOf(thrown) };
    }
  }

  private async isReplaced(source: RunKey, newRunId: string): Promise<boolean> {
    return (await this.reader.get(source)).view.superseded_by === newRunId;
  }

  private async retire(
    source: RunKey,
    { new_run_id, target }: { new_run_id: string; target: string },
    { principal: actor }: Caller,
  ): Promise<void> {
    const found = await this.find(source, target);
    const { ordinal, current_node: nodeId } = found.properties;
    const checkpoint = { ordinal, nodeId, visit: executionOf(found) };
    await this.ledger.change(source, { kind: 'rewind', actor, newRunId: new_run_id, checkpoint });
  }

  /** The checkpoint that a target names; the latest for none. */
  private async find(run: RunKey, target: string | undefined): Promise<Checkpoint> {
    const checkpoints = await this.checkpoints(run);
    let found = checkpointFor(run.runId, target, checkpoints);
    while (found === 'started') {
      const started = await this.ledger.eventsNamed(run, 'stage.started');
      found = checkpointFor(run.runId, target, checkpoints, started);
    }
    return found;
  }

  private checkpoints(run: RunKey): Promise<Checkpoint[]> {
    return this.ledger.eventsNamed(run, 'checkpoint.completed');
  }
}
