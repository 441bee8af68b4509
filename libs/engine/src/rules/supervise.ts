import type { FailureDetail } from '#libs/events';
import { InvariantError } from '#libs/kernel';
import { evaluate, type ManagerLoopNode } from '#libs/language';
import { failed, succeeded } from '../stage/outcome.js';
import { closeAttempt, closeDecided, scopeOf, timedOut } from './close-attempt.js';
import { lastReport } from '../state/context.js';
import { childId } from '../state/cursors.js';
import { closeOpenStages } from './close-stages.js';
import { endChild } from './end-child.js';
import { withoutInternal } from '../fold/evolve-branches.js';
import type { Doing, OpenStage } from '../state/state.js';
import { readOrRefused, UnreadValueError } from '../state/unread-value.js';
import type { WalkContext } from './walk-context.js';

type Supervising = Extract<Doing, { what: 'supervising' }>;

/** A manager is entered: its child is walked on a path of its own, and looked at now and then. */
export function beginChild(walk: WalkContext, stage: OpenStage, node: ManagerLoopNode): void {
  if ('missing' in node.child) {
    const message = `Failed to parse child pipeline: the bundle has no file "${node.child.missing}"`;
    return closeAttempt(walk, stage, failed({ message, category: 'deterministic' }));
  }
  if (walk.definition.dryRun) return closeAttempt(walk, stage, succeeded({ notes: `[Simulated] ${node.id}` }));
  look(walk, stage, node, 1);
  walk.say({
    event: 'subgraph.started',
    ...scopeOf(walk, stage),
    cursor_id: childId(stage.id),
    properties: { start_node: walk.definition.workflow(`${node.id}.`).index.start.id },
  });
}

/**
 * Looks at the child: takes over its outcome when it is over, ends it when the stop condition holds for what it knows,
 * or when it was looked at often enough. False when no look is due, and while large values of the outcome are kept
 * elsewhere.
 */
export function superviseChild(walk: WalkContext, stage: OpenStage, { cycle, until }: Supervising): boolean {
  const node = walk.workflow.node(stage.node);
  const child = walk.state.cursors[childId(stage.id)];
  if (node?.kind !== 'stack.manager_loop' || !child) throw new InvariantError(`"${stage.node}" manages no child.`);
  const { position } = child;
  if (position.at === 'end') {
    const written = { contextUpdates: withoutInternal(child.context), kept: withoutInternal(child.kept) };
    const { status, failure } = position;
    const notes = `Child completed at cycle ${cycle}`;
    const outcome = { status, ...written, notes, ...(failure && { failure }) };
    return closeDecided(walk, stage, { kind: 'outcome', outcome });
  }
  if (until > walk.moment.now) return false;

  const late = timedOut(walk, stage);
  const satisfied = readOrRefused(() => !late && isSatisfied(walk, stage, node));
  if (late) {
    stopChild(walk, stage, 'its manager ran out of time');
    closeAttempt(walk, stage, late);
  } else if (satisfied instanceof UnreadValueError) {
    stopChild(walk, stage, 'the stop condition of its manager cannot be read');
    closeAttempt(walk, stage, failed(satisfied.failure));
  } else if (satisfied) {
    stopChild(walk, stage, 'the stop condition of its manager holds');
    closeAttempt(walk, stage, succeeded({ notes: `Stop condition satisfied at cycle ${cycle}` }));
  } else if (cycle >= node.maxCycles) {
    stopChild(walk, stage, 'its manager looked at it for the last time');
    const message = `Max cycles (${node.maxCycles}) exceeded for manager loop node: ${node.id}`;
    closeAttempt(walk, stage, failed({ message, category: 'deterministic' }));
  } else {
    look(walk, stage, node, cycle + 1);
  }
  return true;
}

function stopChild(walk: WalkContext, stage: OpenStage, why: string): void {
  const path = childId(stage.id);
  const failure: FailureDetail = {
    message: `The sub-workflow was stopped: ${why}.`,
    category: 'canceled',
    system_actor: 'engine',
  };
  closeOpenStages(walk, path, failure);
  walk.on(path, () => endChild(walk, 'failed', failure));
}

/** Asks what the child knows, and where it knows nothing, its parent. */
function isSatisfied(walk: WalkContext, stage: OpenStage, { stopCondition }: ManagerLoopNode): boolean {
  if (stopCondition === undefined) return false;
  const condition = walk.workflow.condition(stopCondition);
  return walk.on(childId(stage.id), () => {
    const last = lastReport(walk.state, walk.cursor);
    const lookup = (key: string) => walk.lookup(key);
    return evaluate(condition, {
      outcome: last?.status ?? 'succeeded',
      preferredLabel: last?.preferredLabel ?? '',
      lookup,
    });
  });
}

/** Looks again after the poll interval, and never later than the node's own limit. */
function look(walk: WalkContext, stage: OpenStage, node: ManagerLoopNode, cycle: number): void {
  const limit = node.timeoutMs === undefined ? Infinity : stage.startedAt + node.timeoutMs;
  const until = new Date(Math.min(walk.moment.now + node.pollIntervalMs, limit)).toISOString();
  walk.say({ event: 'stage.waiting', ...scopeOf(walk, stage), properties: { kind: 'poll', until, cycle } });
}
