import type { EventOf } from '#libs/events';
import { RunyardError } from '#libs/kernel';
import { NoCheckpointError } from './errors.js';

export type Checkpoint = EventOf<'checkpoint.completed'> & { seq: number; ts: string };

/** Checkpoints that a refusal names. */
const NAMED = 20;

/** The run has no such checkpoint. */
export class UnknownTargetError extends RunyardError {
  override readonly code = 'unknown_target';
  readonly kind = 'invalid';
}

/**
 * The checkpoint that a target names: `@N`, `node` for its latest visit, `node@visit`; the latest for none. What is done in a
 * branch has no checkpoint of its own; the stage that forked stands for it. `started` where the starts of all stages have to
 * be known first; then it is asked again with them.
 */
export function checkpointFor(
  runId: string,
  target: string | undefined,
  checkpoints: readonly Checkpoint[],
  started?: readonly EventOf<'stage.started'>[],
): Checkpoint | 'started' {
  const latest = checkpoints.at(-1);
  if (!latest) throw new NoCheckpointError(runId, 'yet');
  if (target === undefined) return latest;
  const named = checkpoints.findLast(isCalled(target));
  if (named) return named;
  if (!started) return 'started';
  const around = aroundBranch(target, checkpoints, started);
  if (around) return around;
  const known = checkpoints.slice(-NAMED).map(({ properties, stage_id }) => `@${properties.ordinal} (${stage_id})`);
  throw new UnknownTargetError(`target: run ${runId} has no checkpoint "${target}"; it has ${known.join(', ')}.`);
}

/** Which execution of its node a checkpoint ends. */
export function executionOf({ stage_id = '' }: Pick<Checkpoint, 'stage_id'>): number {
  return Number(stage_id.slice(stage_id.lastIndexOf('@') + 1));
}

function aroundBranch(
  target: string,
  checkpoints: readonly Checkpoint[],
  started: readonly EventOf<'stage.started'>[],
): Checkpoint | undefined {
  for (let name: string | undefined = target; name !== undefined;) {
    const inside: string = name;
    name = started.findLast(({ node_id, stage_id }) => inside === node_id || inside === stage_id)?.parallel_group_id;
    const found = name === undefined ? undefined : checkpoints.findLast(isCalled(name));
    if (found) return found;
  }
  return undefined;
}

function isCalled(target: string): (checkpoint: Checkpoint) => boolean {
  return ({ properties: { ordinal, current_node }, stage_id }) =>
    target === `@${ordinal}` || target === current_node || target === stage_id;
}
