import type { EventOf, OutcomeStatus } from '#libs/events';
import { evaluate, type Edge, type Node } from '#libs/language';
import { chanceOf } from '../routing/chance.js';
import { retryTargetOf } from '../routing/retry-target.js';
import { pickByChance, pickHeaviest, selectEdge, type Directions } from '../routing/select-edge.js';
import { lastReport } from '../state/context.js';
import type { WalkContext } from './walk-context.js';

export type Route = EventOf<'edge.selected'>['properties'];

/** A way from one node to another, and the edge it follows unless it is a jump. */
export interface Way {
  route: Route;
  edge?: Edge;
}

/** The way on from a stage that ended so; undefined when none leads on. Asked again, it is the same. */
export function wayOn(walk: WalkContext, node: Node, stageId: string, status: OutcomeStatus): Way | undefined {
  if (node.kind === 'parallel' && status !== 'failed' && node.join !== undefined) {
    return { route: jump(node.id, node.join, 'jump', status) };
  }
  const selected = select(walk, node, stageId, status);
  if (selected) {
    const { edge, reason } = selected;
    return { route: routeAlong(walk, edge, reason, status), edge };
  }
  if (!isFailed(walk, node, status)) return undefined;
  const target = retryTargetOf(walk.workflow.index, node);
  return target === undefined ? undefined : { route: jump(node.id, target, 'retry_target', status) };
}

/** A conditional node has no outcome of its own. */
export function isFailed(walk: WalkContext, { kind }: Node, status: OutcomeStatus): boolean {
  return (kind === 'conditional' ? lastReport(walk.state, walk.cursor)?.status : status) === 'failed';
}

export function jump(
  from_node: string,
  to_node: string,
  reason: 'jump' | 'retry_target',
  stage_status: OutcomeStatus,
): Route {
  return { from_node, to_node, reason, stage_status, is_jump: true };
}

function select(walk: WalkContext, node: Node, stageId: string, status: OutcomeStatus): ReturnType<typeof selectEdge> {
  const last = lastReport(walk.state, walk.cursor);
  const holds = (edge: Edge): boolean =>
    evaluate(walk.workflow.conditionOf(edge), {
      outcome: last?.status ?? 'succeeded',
      preferredLabel: last?.preferredLabel ?? '',
      lookup: (key) => walk.lookup(key),
    });
  const prefix = walk.cursor.workflow;
  const directions: Directions = {
    ...(last?.preferredLabel !== undefined && { preferredLabel: last.preferredLabel }),
    ...(last?.suggestedNextIds && { suggestedNextIds: last.suggestedNextIds.flatMap((id) => [id, prefix + id]) }),
    refusesFallThrough: node.kind === 'human' && status === 'failed',
  };
  const pick = node.selection === 'random' ? pickByChance(chanceOf(walk.definition.runId, stageId)) : pickHeaviest;
  const outgoing = walk.workflow.index.outgoing(node.id);
  return selectEdge(
    isFork(node) ? outgoing.filter(({ condition }) => condition !== undefined) : outgoing,
    holds,
    directions,
    pick,
  );
}

/** The plain edges of a fork lead into its branches; after a failure only those with a condition lead on. */
function isFork(node: Node): boolean {
  return node.kind === 'parallel' && node.join !== undefined;
}

function routeAlong(walk: WalkContext, edge: Edge, reason: Route['reason'], status: OutcomeStatus): Route {
  const last = lastReport(walk.state, walk.cursor);
  return {
    from_node: edge.from,
    to_node: edge.to,
    reason,
    stage_status: status,
    is_jump: false,
    ...(edge.label !== undefined && { label: edge.label }),
    ...(edge.condition !== undefined && { condition: edge.condition }),
    ...(last?.preferredLabel !== undefined && { preferred_label: last.preferredLabel }),
    ...(last?.suggestedNextIds?.length && { suggested_next_ids: last.suggestedNextIds }),
  };
}
