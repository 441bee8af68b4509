import { InvariantError, jsonBytes } from '#libs/kernel';
import {
  MAX_VALUE_BYTES,
  MAX_VALUES_BYTES,
  marksOf,
  type FailureDetail,
  type Timing,
  type TokenBilling,
} from '#libs/events';
import { failureSignature } from '../stage/failure-signature.js';
import { noRetryReason } from '../stage/no-retry-reason.js';
import { resultInBrief } from '../stage/in-brief.js';
import { errored, type AttemptResult, type Outcome } from '../stage/outcome.js';
import { retryDelayMs, retryPolicyOf } from '../stage/retry-policy.js';
import { settle } from '../stage/settle.js';
import type { OpenStage } from '../state/state.js';
import type { WalkContext } from './walk-context.js';

/** One attempt ended: another one is due, or the stage has its outcome. */
export function closeAttempt(walk: WalkContext, stage: OpenStage, reported: AttemptResult): void {
  const result = resultInBrief(reported);
  const node = walk.workflow.node(stage.node);
  if (!node) throw new InvariantError(`The log names a node "${stage.node}" that the graph does not have.`);

  const spent = spentOn(walk, stage, result);
  const wanted = result.kind === 'error' ? result.retryable : (result.retryWanted ?? false);
  const failure = result.kind === 'error' ? result.failure : result.outcome.failure;
  const isLeft = stage.attempt < stage.maxAttempts;
  if (wanted && failure && isLeft) return retry(walk, stage, failure, spent);

  const outcome: Outcome = result.kind === 'error' ? { status: 'failed', failure: result.failure } : result.outcome;
  const why = isLeft && failure ? noRetryReason(result, failure) : undefined;
  close(walk, stage, settle(outcome, result.kind === 'outcome' && wanted, node), spent, why);
}

/**
 * The walk itself knows what a stage reports. False where its values are too large for an event: a worker keeps them
 * elsewhere first and hands in the result then.
 */
export function closeDecided(walk: WalkContext, stage: OpenStage, result: AttemptResult): boolean {
  const { contextUpdates = {}, kept = {} } = result.kind === 'outcome' ? result.outcome : {};
  const fit = Object.values(contextUpdates).every((value) => jsonBytes(value) <= MAX_VALUE_BYTES);
  if (fit && jsonBytes(contextUpdates) + jsonBytes(kept) <= MAX_VALUES_BYTES) closeAttempt(walk, stage, result);
  else return walk.keep(stage, result);
  return true;
}

function retry(walk: WalkContext, stage: OpenStage, failure: FailureDetail, spent: Spent): void {
  const node = walk.workflow.node(stage.node)!;
  const policy = retryPolicyOf(node, walk.workflow.graph.attributes.defaultMaxRetries);
  const delay_ms = retryDelayMs(policy, stage.attempt, walk.moment.random());
  walk.say({
    event: 'stage.failed',
    ...scopeOf(walk, stage),
    properties: { index: stage.index, failure: signed(stage, failure), will_retry: true, ...spent },
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

function close(walk: WalkContext, stage: OpenStage, outcome: Outcome, spent: Spent, noRetryReason?: string): void {
  const { contextUpdates = {}, kept, failure } = outcome;
  const isEmpty = Object.keys(contextUpdates).length === 0;
  const updates = isEmpty ? {} : { context_updates: contextUpdates, ...marksOf(contextUpdates, kept) };
  if (outcome.status === 'failed' && failure) {
    return walk.say({
      event: 'stage.failed',
      ...scopeOf(walk, stage),
      properties: {
        index: stage.index,
        failure: signed(stage, failure),
        will_retry: false,
        ...(noRetryReason !== undefined && { no_retry_reason: noRetryReason }),
        ...spent,
        ...updates,
      },
    });
  }
  walk.say({
    event: 'stage.completed',
    ...scopeOf(walk, stage),
    properties: {
      index: stage.index,
      attempt: stage.attempt,
      max_attempts: stage.maxAttempts,
      ...spent,
      status: outcome.status,
      ...updates,
      ...(outcome.preferredLabel !== undefined && { preferred_label: outcome.preferredLabel }),
      ...(outcome.suggestedNextIds?.length && { suggested_next_ids: [...outcome.suggestedNextIds] }),
      ...(failure && { failure: signed(stage, failure) }),
      ...(outcome.notes !== undefined && { notes: outcome.notes }),
      ...(outcome.filesTouched?.length && { files_touched: [...outcome.filesTouched] }),
    },
  });
}

function signed(stage: OpenStage, failure: FailureDetail): FailureDetail {
  return { ...failure, signature: failure.signature ?? failureSignature(stage.node, failure) };
}

export function scopeOf(
  walk: WalkContext,
  stage: Pick<OpenStage, 'id' | 'node'>,
): { node_id: string; node_label: string; stage_id: string } {
  const label = walk.workflow.node(stage.node)?.label ?? stage.node;
  return { node_id: stage.node, node_label: label, stage_id: stage.id };
}

interface Spent {
  timing: Timing;
  billing?: TokenBilling;
}

function spentOn(
  walk: WalkContext,
  stage: OpenStage,
  { toolTimeMs = 0, inferenceTimeMs = 0, billing }: AttemptResult,
): Spent {
  const activeTimeMs = toolTimeMs + inferenceTimeMs;
  const timing = {
    // Work that went on while its worker was replaced is older than this attempt.
    wall_time_ms: Math.max(activeTimeMs, walk.moment.now - stage.startedAt),
    inference_time_ms: inferenceTimeMs,
    tool_time_ms: toolTimeMs,
    active_time_ms: activeTimeMs,
  };
  return { timing, ...(billing && { billing }) };
}

/** The error of a stage that waits by itself and has reached the limit of its node; undefined while it has not. */
export function timedOut(walk: WalkContext, stage: OpenStage): AttemptResult | undefined {
  const limit = walk.workflow.node(stage.node)?.timeoutMs;
  if (limit === undefined || walk.moment.now - stage.startedAt < limit) return undefined;
  const message = `handler timed out after ${limit}ms`;
  return errored({ message, category: 'transient_infra', system_actor: 'timeout' }, true);
}
