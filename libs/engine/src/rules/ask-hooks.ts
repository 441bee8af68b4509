import type { EventOf, OutcomeStatus } from '#libs/events';
import type { Node } from '#libs/language';
import type { HookFacts } from '../definition/hook-point.js';
import type { HookDecision } from '../hooks/hook-decision.js';
import { visitsOf } from '../state/cursors.js';
import { failRun } from './end-path.js';
import type { OpenStage } from '../state/state.js';
import type { WalkContext } from './walk-context.js';

type Route = EventOf<'edge.selected'>['properties'];

/** Whether the run may begin, or begin again. False while hooks are asked, and where one of them ended the run. */
export function maySetOut(walk: WalkContext, isInSandbox: boolean): boolean {
  const about = () => ({ id: `${walk.state.stagesStarted}`, facts: {} });
  if (isInSandbox && !unlessBlocked(walk, walk.askHooks('sandbox_ready', about))) return false;
  return unlessBlocked(walk, walk.askHooks('run_start', about)) !== undefined;
}

/** What hooks say of an attempt that is about to begin. Undefined as in {@link maySetOut}. */
export function beforeAttempt(
  walk: WalkContext,
  node: Node,
  { id: stage_id, attempt, maxAttempts: max_attempts }: Pick<OpenStage, 'id' | 'attempt' | 'maxAttempts'>,
): HookDecision | undefined {
  // Another branch may be the first to begin, so a stage that has not begun has no name yet.
  const hasBegun = walk.cursor.position.at === 'stage';
  const about = () => ({
    id: hasBegun ? `${stage_id}/${attempt}` : `${node.id}/${visitsOf(walk.state, walk.cursor, node.id) + 1}`,
    facts: { ...factsOf(node), ...(hasBegun && { stage_id }), attempt, max_attempts },
  });
  if (attempt > 1 && !walk.askHooks('stage_retrying', about)) return undefined;
  if (node.kind === 'parallel' && !walk.askHooks('parallel_start', about)) return undefined;
  return unlessBlocked(walk, walk.askHooks('stage_start', about));
}

/** Tells hooks how a stage ended. False while they are told. */
export function afterStage(walk: WalkContext, node: Node, stageId: string, status: OutcomeStatus): boolean {
  if (status === 'skipped') return true;
  const isFailed = status === 'failed';
  const failure_reason = isFailed ? walk.cursor.last?.failureMessage : undefined;
  const why = failure_reason !== undefined && { failure_reason };
  const about = () => ({ id: stageId, facts: { ...factsOf(node), stage_id: stageId, status, ...why } });
  if (node.kind === 'parallel' && !walk.askHooks('parallel_complete', about)) return false;
  return walk.askHooks(isFailed ? 'stage_failed' : 'stage_complete', about) !== undefined;
}

/** What hooks say of the way on. Undefined as in {@link maySetOut}. */
export function beforeRoute(walk: WalkContext, node: Node, stageId: string, route: Route): HookDecision | undefined {
  const { from_node: edge_from, to_node: edge_to, label: edge_label, stage_status: status } = route;
  const named = edge_label !== undefined && { edge_label };
  const decision = walk.askHooks('edge_selected', () => ({
    id: stageId,
    facts: { ...factsOf(node), stage_id: stageId, status, edge_from, edge_to, ...named },
  }));
  return unlessBlocked(walk, decision);
}

/** Tells hooks of the checkpoint behind which this path stands. False while they are told. */
export function afterCheckpoint(walk: WalkContext, nextNode: string): boolean {
  const { checkpoints, resumeAt } = walk.state;
  if (walk.cursor.host || checkpoints === 0 || resumeAt?.node !== nextNode || resumeAt.entered.length > 0) return true;
  return (
    walk.askHooks('checkpoint_saved', () => ({ id: `${checkpoints}`, facts: { node_id: nextNode } })) !== undefined
  );
}

/** A hook that blocks ends the run: whatever was to come does not. */
function unlessBlocked(walk: WalkContext, decision: HookDecision | undefined): HookDecision | undefined {
  if (decision?.decision !== 'block') return decision;
  const message = `blocked by the hook "${decision.hook}": ${decision.reason}`;
  failRun(walk, 'workflow_error', { message, category: 'deterministic' });
  return undefined;
}

function factsOf({ id, label, kind }: Node): HookFacts {
  return { node_id: id, node_label: label, handler_type: kind };
}
