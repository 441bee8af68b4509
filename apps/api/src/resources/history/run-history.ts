import { type RunId } from '#libs/kernel';
import { type Caller } from '../../edge/auth/caller.js';
import { type RunCheckpoint } from './dto/checkpoint.js';
import { type ForkRequest, type ForkResponse, type RewindRequest, type RewindResponse } from '../runs/dto/fork.js';
import { type RunProjection } from './dto/projection.js';
import { type TimelineEntryResponse } from './dto/timeline.js';

/** What a run went through, and new runs from points of it. A run that the caller's tenant does not have is `missing`. */
export abstract class RunHistory {
  /** The checkpoints, in order. */
  abstract timeline(caller: Caller, runId: RunId): Promise<TimelineEntryResponse[]>;

  /** Everything the log says, folded. */
  abstract state(caller: Caller, runId: RunId): Promise<RunProjection>;

  /** The latest checkpoint; null when there is none. */
  abstract checkpoint(caller: Caller, runId: RunId): Promise<RunCheckpoint | null>;

  /**
   * Stores a run, not started, whose history is a copy up to a checkpoint. Edits are compiled before anything is
   * stored. `invalid` for a target that the run does not have and for edits that do not compile or do not have the node
   * to go on from; `conflict` for a run without a checkpoint. With an idempotency key, the same request again is told of
   * the same run, whatever became of the source; another request is a `conflict`, and one that was refused leaves no key.
   */
  abstract fork(caller: Caller, runId: RunId, request: ForkRequest, idempotencyKey?: string): Promise<ForkResponse>;

  /**
   * Forks a run that is over and retires it: archived, superseded by the fork. When only the retiring fails the fork
   * stays, and the answer says so. `conflict` for a run that is not over. With an idempotency key as {@link fork}; to
   * repeat it also retires the run if that failed before, and never twice.
   */
  abstract rewind(
    caller: Caller,
    runId: RunId,
    request: RewindRequest,
    idempotencyKey?: string,
  ): Promise<RewindResponse>;
}
