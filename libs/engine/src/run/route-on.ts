import { evaluate, type Edge, type Node } from '#libs/language';
import type { EventOf, OutcomeStatus } from '#libs/events';
import { retryTargetOf } from '../routing/retry-target.js';
import { pickByChance, pickHeaviest, selectEdge, type Directions } from '../routing/select-edge.js';
import { isTracked } from '../stage/failure-signature.js';
import { held } from './by-name.js';
import { lastReport } from './context.js';
import { inherited, visitsOf } from './cursors.js';
import { completePath, failPath } from './end-path.js';
import { endBranch } from './fork.js';
import { sayStarted } from './say-started.js';
import type { WalkContext } from './walk-context.js';

type Route = EventOf<'edge.selected'>['properties'];

/** A stage has its outcome: guards against endless failure, chooses the way on, and writes the checkpoint. */
export function routeOn(walk: WalkContext, nodeId: string, stageId: string): void {
  const node = walk.workflow.node(nodeId);
  if (!node) return failPath(walk, `The log names a node "${nodeId}" that the graph does not have.`);
  if (brokeCircuit(walk)) return;

  const status = held(walk.state.outcomes, nodeId) ?? 'failed';
  if (node.kind === 'parallel' && status !== 'failed' && node.join !== undefined) {
    return move(walk, node, stageId, jump(node.id, node.join, 'jump', status));
  }
  const selected = select(walk, node);
  if (selected)
    return take(walk, node, stageId, selected.edge, routeAlong(walk, selected.edge, selected.reason, status));

  const last = lastReport(walk.state, walk.cursor);
  const isFailed = (node.kind === 'conditional' ? last?.status : status) === 'failed';
  if (!isFailed) {
    checkpoint(walk, node, stageId, status);
    return completePath(walk);
  }
  const target = retryTargetOf(walk.workflow.index, node);
  if (target === undefined) {
    checkpoint(walk, node, stageId, status);
    if (walk.cursor.branch) return endBranch(walk, 'failed');
    const cause = last?.failureMessage;
    return failPath(walk, `stage ${last?.node ?? nodeId} failed with no outgoing fail edge`, {
      ...(cause && { causes: [cause] }),
    });
  }
  move(walk, node, stageId, jump(nodeId, target, 'retry_target', status));
}

function jump(from_node: string, to_node: string, reason: 'jump' | 'retry_target', stage_status: OutcomeStatus): Route {
  return { from_node, to_node, reason, stage_status, is_jump: true };
}

function select(walk: WalkContext, node: Node): ReturnType<typeof selectEdge> {
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
    refusesFallThrough: node.kind === 'human' && held(walk.state.outcomes, node.id) === 'failed',
  };
  const pick = node.selection === 'random' ? pickByChance(walk.moment.random()) : pickHeaviest;
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

/** Follows an edge; one that restarts the loop forgets the path, and a failed outcome may take it only after a passing fault. */
function take(walk: WalkContext, node: Node, stageId: string, edge: Edge, route: Route): void {
  if (!edge.loopRestart) return move(walk, node, stageId, route);

  const last = lastReport(walk.state, walk.cursor);
  if (last?.status === 'failed' && last.failureCategory !== 'transient_infra') {
    const message = `loop_restart blocked: failure_class=${last.failureCategory} (requires transient_infra), failure_reason=${last.failureMessage}`;
    return failPath(walk, message);
  }
  const signature = last?.failureSignature ?? '';
  const repeated = (held(walk.cursor.signatures.restarts, signature) ?? 0) + 1;
  const limit = walk.workflow.graph.attributes.loopRestartSignatureLimit;
  if (last?.status === 'failed' && repeated >= limit) {
    return failPath(
      walk,
      `loop_restart circuit breaker: signature ${signature} repeated ${repeated} times (limit ${limit})`,
    );
  }
  move(walk, node, stageId, route);
  walk.say({
    event: 'loop.restart',
    node_id: node.id,
    stage_id: stageId,
    properties: { from_node: route.from_node, to_node: route.to_node },
  });
  if (!walk.cursor.host) sayStarted(walk);
}

/** The same failure again and again is not going to pass by itself. */
function brokeCircuit(walk: WalkContext): boolean {
  const { last } = walk.cursor;
  if (last?.failureCategory === undefined || !isTracked(last.failureCategory)) return false;
  const signature = last.failureSignature ?? '';
  const { cursor, state } = walk;
  const repeated = inherited(state, cursor, ({ signatures }) => held(signatures.failures, signature)) ?? 0;
  const limit = walk.workflow.graph.attributes.loopRestartSignatureLimit;
  if (repeated < limit) return false;
  failPath(
    walk,
    `deterministic failure cycle detected: signature ${signature} repeated ${repeated} times (limit ${limit})`,
  );
  return true;
}

function move(walk: WalkContext, node: Node, stageId: string, route: Route): void {
  walk.say({ event: 'edge.selected', node_id: node.id, node_label: node.label, stage_id: stageId, properties: route });
  checkpoint(walk, node, stageId, route.stage_status, route.to_node);
}

/** Only on the run's main path, while no other is walked: there a run can be resumed, forked and rewound. */
function checkpoint(walk: WalkContext, node: Node, stageId: string, status: OutcomeStatus, next?: string): void {
  if (walk.cursor.host) return;
  walk.say({
    event: 'checkpoint.completed',
    node_id: node.id,
    node_label: node.label,
    stage_id: stageId,
    properties: {
      ordinal: walk.state.checkpoints + 1,
      status,
      current_node: node.id,
      graph_visit: visitsOf(walk.state, walk.cursor, node.id),
      ...(next !== undefined && { next_node_id: next }),
    },
  });
}
