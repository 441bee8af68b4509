import { attemptIdOf, stageIdOf } from '#libs/kernel';
import type { Node } from '#libs/language';
import { retryTargetOf } from '../routing/retry-target.js';
import { held } from '../state/by-name.js';
import { failureOf } from '../state/causes.js';
import { visitsOf } from '../state/cursors.js';
import { completePath, failPath } from './end-path.js';
import { endBranch } from './fork.js';
import { startStage } from './start-attempt.js';
import type { WalkContext } from './walk-context.js';

/**
 * Arrives at a node: the exit ends the walk of its graph, a node over its limit fails it, any other is executed. False
 * while hooks are asked.
 */
export function enterNode(walk: WalkContext, nodeId: string): boolean {
  const node = walk.workflow.node(nodeId);
  if (!node) {
    failPath(walk, `The walk leads to node "${nodeId}", which the graph does not have.`);
    return true;
  }
  if (node.kind === 'exit') {
    arriveAtExit(walk, node);
    return true;
  }

  const visits = visitsOf(walk.state, walk.cursor, nodeId);
  const limit = visitLimitOf(walk, node);
  if (limit !== undefined && visits >= limit.visits) {
    const message = `node "${nodeId}" visited ${visits} times (${limit.whose} limit ${limit.visits}); run is stuck in a cycle`;
    if (walk.cursor.branch && limit.whose === 'node') failBranch(walk, message);
    else failPath(walk, message);
    return true;
  }
  return startStage(walk, node);
}

/** A node's own limit is an affair of the branch that meets it; the graph's would be met by any path. */
function failBranch(walk: WalkContext, message: string): void {
  endBranch(walk, 'failed', { message, category: 'deterministic' });
}

/** A dry run never waits for the world to change, so its loops need a bound of their own. */
const DRY_RUN_VISITS = 10;

/** The node's own cap replaces the graph's; 0 on the graph means none. */
function visitLimitOf(walk: WalkContext, node: Node): { whose: 'node' | 'graph'; visits: number } | undefined {
  if (node.maxVisits !== undefined) return { whose: 'node', visits: node.maxVisits };
  const { maxNodeVisits } = walk.workflow.graph.attributes;
  if (maxNodeVisits > 0) return { whose: 'graph', visits: maxNodeVisits };
  return walk.definition.dryRun ? { whose: 'graph', visits: DRY_RUN_VISITS } : undefined;
}

/** A walk may only succeed when every goal gate last ended well; an open gate sends it back, or fails it. */
function arriveAtExit(walk: WalkContext, exit: Node): void {
  if (walk.cursor.branch) return failPath(walk, `A branch came to the exit "${exit.id}" without passing its join.`);
  const gate = openGoalGate(walk);
  if (!gate) {
    passExit(walk, exit);
    return completePath(walk);
  }
  const target = retryTargetOf(walk.workflow.index, gate);
  if (target === undefined || walk.definition.kindOf(target) === 'exit') {
    const cause = failureOf(walk.state, gate.id);
    const message = `goal gate unsatisfied for node ${gate.id} and no retry target`;
    return cause === undefined ? failPath(walk, message) : failPath(walk, `${message}: ${cause}`, { causes: [cause] });
  }
  walk.say({
    event: 'edge.selected',
    node_id: exit.id,
    node_label: exit.label,
    properties: {
      from_node: exit.id,
      to_node: target,
      reason: 'retry_target',
      stage_status: held(walk.state.outcomes, gate.id) ?? 'failed',
      is_jump: true,
    },
  });
}

function openGoalGate(walk: WalkContext): Node | undefined {
  return walk.workflow.graph.nodes
    .filter((node) => node.goalGate)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .find(({ id }) => {
      const last = held(walk.state.outcomes, id);
      return last !== 'succeeded' && last !== 'partially_succeeded';
    });
}

/** The exit is not executed; its pair of events puts it on the list of stages. */
function passExit(walk: WalkContext, exit: Node): void {
  const id = stageIdOf(exit.id, (held(walk.state.executions, exit.id) ?? 0) + 1);
  const scope = { node_id: exit.id, node_label: exit.label, stage_id: id };
  const { epoch } = walk.moment;
  const index = walk.state.stagesStarted;
  walk.say({
    event: 'stage.started',
    ...scope,
    properties: {
      index,
      handler_type: exit.kind,
      attempt: 1,
      max_attempts: 1,
      graph_visit: 1,
      attempt_id: attemptIdOf(walk.definition.runId, id, 1, epoch),
      epoch,
    },
  });
  const timing = { wall_time_ms: 0, inference_time_ms: 0, tool_time_ms: 0, active_time_ms: 0 };
  walk.say({
    event: 'stage.completed',
    ...scope,
    properties: { index, attempt: 1, max_attempts: 1, timing, status: 'succeeded' },
  });
}
