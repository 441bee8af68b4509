import type { EventOf, OutcomeStatus } from '#libs/events';
import type { Node } from '#libs/language';
import type { HookEvent } from '#libs/settings';
import type { OccasionFacts, Verdict } from '../hooks/occasion.js';
import { visitsOf } from './cursors.js';
import { failRun } from './end-path.js';
import type { OpenStage } from './state.js';
import type { WalkContext } from './walk-context.js';

type Route = EventOf<'edge.selected'>['properties'];

/** Whether the run may begin, or begin again. False while hooks are asked, and where one of them ended the run. */
export function maySetOut(walk: WalkContext, isInSandbox: boolean): boolean {
  const id = `${walk.state.stagesStarted}`;
  return (!isInSandbox || allows(walk, 'sandbox_ready', id, {})) && allows(walk, 'run_start', id, {});
}

/** What hooks say of an attempt that is about to begin. Undefined as in {@link maySetOut}. */
export function beforeAttempt(
  walk: WalkContext,
  node: Node,
  { id: stage_id, attempt, maxAttempts }: Pick<OpenStage, 'id' | 'attempt' | 'maxAttempts'>,
): Verdict | undefined {
  // Another branch may be the first to begin, so a stage that has not begun has no name yet.
  const hasBegun = walk.cursor.position.at === 'stage';
  const named = hasBegun && { stage_id };
  const id = hasBegun ? `${stage_id}/${attempt}` : `${node.id}/${visitsOf(walk.state, walk.cursor, node.id) + 1}`;
  const facts = (): OccasionFacts => ({ ...factsOf(node), ...named, attempt, max_attempts: maxAttempts });
  const isTold = (event: HookEvent): boolean => walk.consult(event, () => ({ id, facts: facts() })) !== undefined;
  if (attempt > 1 && !isTold('stage_retrying')) return undefined;
  if (node.kind === 'parallel' && !isTold('parallel_start')) return undefined;
  return unlessBlocked(
    walk,
    walk.consult('stage_start', () => ({ id, facts: facts() })),
  );
}

/** Tells hooks how a stage ended. False while they are told. */
export function afterStage(walk: WalkContext, node: Node, stageId: string, status: OutcomeStatus): boolean {
  if (status === 'skipped') return true;
  const isFailed = status === 'failed';
  const failure_reason = walk.cursor.last?.failureMessage;
  const facts = (): OccasionFacts => ({
    ...factsOf(node),
    stage_id: stageId,
    status,
    ...(isFailed && failure_reason !== undefined && { failure_reason }),
  });
  const isTold = (event: HookEvent): boolean =>
    walk.consult(event, () => ({ id: stageId, facts: facts() })) !== undefined;
  if (node.kind === 'parallel' && !isTold('parallel_complete')) return false;
  return isTold(isFailed ? 'stage_failed' : 'stage_complete');
}

/** What hooks say of the way on. Undefined as in {@link maySetOut}. */
export function beforeRoute(walk: WalkContext, node: Node, stageId: string, route: Route): Verdict | undefined {
  const { from_node: edge_from, to_node: edge_to, label: edge_label, stage_status: status } = route;
  const named = edge_label !== undefined && { edge_label };
  const verdict = walk.consult('edge_selected', () => ({
    id: stageId,
    facts: { ...factsOf(node), stage_id: stageId, status, edge_from, edge_to, ...named },
  }));
  return unlessBlocked(walk, verdict);
}

/** Tells hooks of the checkpoint behind which this path stands. False while they are told. */
export function afterCheckpoint(walk: WalkContext, nextNode: string): boolean {
  const { checkpoints, resumeAt } = walk.state;
  if (walk.cursor.host || checkpoints === 0 || resumeAt?.node !== nextNode || resumeAt.entered.length > 0) return true;
  return walk.consult('checkpoint_saved', () => ({ id: `${checkpoints}`, facts: { node_id: nextNode } })) !== undefined;
}

function allows(walk: WalkContext, event: HookEvent, id: string, facts: OccasionFacts): boolean {
  return (
    unlessBlocked(
      walk,
      walk.consult(event, () => ({ id, facts })),
    ) !== undefined
  );
}

/** A hook that blocks ends the run: whatever was to come does not. */
function unlessBlocked(walk: WalkContext, verdict: Verdict | undefined): Verdict | undefined {
  if (verdict?.decision !== 'block') return verdict;
  const message = `blocked by the hook "${verdict.hook}": ${verdict.reason}`;
  failRun(walk, 'workflow_error', { message, category: 'deterministic' });
  return undefined;
}

function factsOf({ id, label, kind }: Node): OccasionFacts {
  return { node_id: id, node_label: label, handler_type: kind };
}
