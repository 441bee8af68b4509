import type { OutcomeStatus } from '#libs/events';
import type { Node } from '#libs/language';
import { isTracked } from '../stage/failure-signature.js';
import { afterStage, beforeRoute, maySetOut } from './ask-hooks.js';
import { held } from '../state/by-name.js';
import { withCauses } from '../state/causes.js';
import { isFailed, jump, wayOn, type Route, type Way } from './choose-way.js';
import { lastReport } from '../state/context.js';
import { inherited, visitsOf } from '../state/cursors.js';
import { completePath, failPath } from './end-path.js';
import { endBranch } from './fork.js';
import { sayStarted } from './say-started.js';
import type { LastReport, Position } from '../state/state.js';
import type { WalkContext } from './walk-context.js';

type Ended = Extract<Position, { at: 'outcome' }>;

/**
 * A stage has its outcome: guards against endless failure, chooses the way on, and writes the checkpoint. False while
 * hooks are asked; asked again it chooses the same way.
 */
export function routeOn(walk: WalkContext, { node: nodeId, stageId, status }: Ended): boolean {
  const node = walk.workflow.node(nodeId);
  if (!node) {
    failPath(walk, `The log names a node "${nodeId}" that the graph does not have.`);
    return true;
  }
  if (brokeCircuit(walk)) return true;
  if (!afterStage(walk, node, stageId, status)) return false;

  const way = wayOn(walk, node, stageId, status);
  if (!way) endHere(walk, node, stageId, status);
  else return follow(walk, node, stageId, way);
  return true;
}

/** No way leads on. */
function endHere(walk: WalkContext, node: Node, stageId: string, status: OutcomeStatus): void {
  checkpoint(walk, node, stageId, status);
  if (!isFailed(walk, node, status)) return completePath(walk);
  if (walk.cursor.branch) return endBranch(walk, 'failed');
  const last = lastReport(walk.state, walk.cursor);
  const ended = `stage ${last?.node ?? node.id} failed with no outgoing fail edge`;
  const { message, ...rest } = withCauses(walk.state, walk.cursor, ended);
  failPath(walk, message, rest);
}

/** Goes the way, or where a hook leads instead. False while hooks are asked, and where one of them ended the run. */
function follow(walk: WalkContext, node: Node, stageId: string, { route, edge }: Way): boolean {
  const decision = beforeRoute(walk, node, stageId, route);
  if (!decision) return false;
  if (decision.decision === 'override') {
    divert(walk, node, stageId, { ...route, to_node: walk.cursor.workflow + decision.edge_to });
    return true;
  }
  if (edge?.loopRestart) return restart(walk, node, stageId, route);
  move(walk, node, stageId, route);
  return true;
}

/** A hook chose where the walk goes on. */
function divert(walk: WalkContext, node: Node, stageId: string, { from_node, to_node, stage_status }: Route): void {
  if (walk.workflow.node(to_node)) move(walk, node, stageId, jump(from_node, to_node, 'jump', stage_status));
  else failPath(walk, `a hook leads from "${from_node}" to "${to_node}", which the graph does not have`);
}

/** Forgets the path and begins anew at its target. A failed outcome may lead here only after a passing fault. */
function restart(walk: WalkContext, node: Node, stageId: string, route: Route): boolean {
  const refusal = restartRefusal(walk);
  if (refusal !== undefined) {
    failPath(walk, refusal);
    return true;
  }
  if (brokeRestartCircuit(walk)) return true;
  if (!walk.cursor.host && !maySetOut(walk, false)) return false;
  move(walk, node, stageId, route);
  const properties = { from_node: route.from_node, to_node: route.to_node };
  walk.say({ event: 'loop.restart', node_id: node.id, stage_id: stageId, properties });
  if (!walk.cursor.host) sayStarted(walk);
  return true;
}

function restartRefusal(walk: WalkContext): string | undefined {
  const last = lastReport(walk.state, walk.cursor);
  if (last?.status !== 'failed') return undefined;
  if (last.failureCategory !== 'transient_infra') {
    return `loop_restart blocked: failure_class=${last.failureCategory} (requires transient_infra), failure_reason=${last.failureMessage}`;
  }
  return undefined;
}

/** The same failure led to a restart again and again. */
function brokeRestartCircuit(walk: WalkContext): boolean {
  const last = lastReport(walk.state, walk.cursor);
  if (last?.status !== 'failed') return false;
  const earlier = held(walk.cursor.signatures.restarts, last.failureSignature ?? '') ?? 0;
  return failRepeated(walk, 'loop_restart circuit breaker', last, earlier + 1);
}

/** The same failure again and again is not going to pass by itself. */
function brokeCircuit(walk: WalkContext): boolean {
  const { last } = walk.cursor;
  if (last?.failureCategory === undefined || !isTracked(last.failureCategory)) return false;
  const signature = last.failureSignature ?? '';
  const { cursor, state } = walk;
  const repeated = inherited(state, cursor, ({ signatures }) => held(signatures.failures, signature)) ?? 0;
  return failRepeated(walk, 'deterministic failure cycle detected', last, repeated);
}

/** Fails the path when the same failure was repeated as often as the graph allows; false when it was not. */
function failRepeated(walk: WalkContext, finding: string, last: LastReport, times: number): boolean {
  const limit = walk.workflow.graph.attributes.loopRestartSignatureLimit;
  if (times < limit) return false;
  const { node, failureMessage, failureSignature: signature } = last;
  failPath(
    walk,
    `${finding}: node "${node}" failed ${times} times in the same way (loop_restart_signature_limit=${limit})`,
    {
      ...(signature !== undefined && { signature }),
      ...(failureMessage !== undefined && { causes: [failureMessage] }),
    },
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
