import { InvariantError } from '#libs/kernel';
import type { FailureDetail, Timing } from '#libs/events';
import { failureSignature } from '../stage/failure-signature.js';
import type { AttemptResult, Outcome } from '../stage/outcome.js';
import { retryDelayMs, retryPolicyOf } from '../stage/retry-policy.js';
import { settle } from '../stage/settle.js';
import type { OpenStage } from './state.js';
import type { WalkContext } from './walk-context.js';

/** One attempt ended: another one is due, or the stage has its outcome. */
export function closeAttempt(walk: WalkContext, stage: OpenStage, result: AttemptResult): void {
  const node = walk.definition.index.node(stage.node);
  if (!node) throw new InvariantError(`The log names a node "${stage.node}" that the graph does not have.`);

  const timing = timingOf(walk, stage, result);
  const wanted = result.kind === 'error' ? result.retryable : (result.retryWanted ?? false);
  const failure = result.kind === 'error' ? result.failure : result.outcome.failure;
  if (wanted && failure && stage.attempt < stage.maxAttempts) return retry(walk, stage, failure, timing);

  const outcome: Outcome = result.kind === 'error' ? { status: 'failed', failure: result.failure } : result.outcome;
  close(walk, stage, settle(outcome, result.kind === 'outcome' && wanted, node), timing);
}

function retry(walk: WalkContext, stage: OpenStage, failure: FailureDetail, timing: Timing): void {
  const node = walk.definition.index.node(stage.node)!;
  const policy = retryPolicyOf(node, walk.definition.index.graph.attributes.defaultMaxRetries);
  const delay_ms = retryDelayMs(policy, stage.attempt, walk.moment.random());
  walk.say({
    event: 'stage.failed',
    ...scopeOf(walk, stage),
    properties: { index: stage.index, failure: signed(stage, failure), will_retry: true, timing },
  });
  walk.say({
    event: 'stage.retrying',
    ...scopeOf(walk, stage),
    properties: {
      index: stage.index,
      attempt: stage.attempt + 1,
      max_attempts: stage.maxAttempts,
      delay_ms,
      until: new Date(walk.moment.now + delay_ms).toISOString(),
    },
  });
}

function close(walk: WalkContext, stage: OpenStage, outcome: Outcome, timing: Timing): void {
  const { contextUpdates, failure } = outcome;
  const updates = contextUpdates && Object.keys(contextUpdates).length > 0 ? { context_updates: contextUpdates } : {};
  if (outcome.status === 'failed' && failure) {
    return walk.say({
      event: 'stage.failed',
      ...scopeOf(walk, stage),
      properties: { index: stage.index, failure: signed(stage, failure), will_retry: false, timing, ...updates },
    });
  }
  walk.say({
    event: 'stage.completed',
    ...scopeOf(walk, stage),
    properties: {
      index: stage.index,
      attempt: stage.attempt,
      max_attempts: stage.maxAttempts,
      timing,
      status: outcome.status,
      ...updates,
      ...(outcome.preferredLabel !== undefined && { preferred_label: outcome.preferredLabel }),
      ...(outcome.suggestedNextIds?.length && { suggested_next_ids: [...outcome.suggestedNextIds] }),
      ...(failure && { failure: signed(stage, failure) }),
      ...(outcome.notes !== undefined && { notes: outcome.notes }),
    },
  });
}

function signed(stage: OpenStage, failure: FailureDetail): FailureDetail {
  return { ...failure, signature: failure.signature ?? failureSignature(stage.node, failure) };
}

export function scopeOf(
  walk: WalkContext,
  stage: OpenStage,
): { node_id: string; node_label: string; stage_id: string } {
  const label = walk.definition.index.node(stage.node)?.label ?? stage.node;
  return { node_id: stage.node, node_label: label, stage_id: stage.id };
}

function timingOf(walk: WalkContext, stage: OpenStage, result: AttemptResult): Timing {
  const tool = result.toolTimeMs ?? 0;
  return {
    wall_time_ms: Math.max(0, walk.moment.now - stage.startedAt),
    inference_time_ms: 0,
    tool_time_ms: tool,
    active_time_ms: tool,
  };
}
