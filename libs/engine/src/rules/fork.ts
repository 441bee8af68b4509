import type { BranchResult, FailureDetail, OutcomeStatus } from '#libs/events';
import { InvariantError, type Json } from '#libs/kernel';
import type { Edge, ParallelNode } from '#libs/language';
import { branchFailures, statusOfBranches } from '../stage/branch-failures.js';
import { failed, type AttemptResult } from '../stage/outcome.js';
import { branchItemsOf } from './branch-items.js';
import { closeAttempt, scopeOf } from './close-attempt.js';
import { resultsInBrief } from './branch-results.js';
import { branchId, hostOf, openStageOf } from '../state/cursors.js';
import { withoutInternal } from '../fold/evolve-branches.js';
import type { BranchEnd, Cursor, Doing, OpenStage } from '../state/state.js';
import type { BranchItem, WalkContext } from './walk-context.js';

type Forked = Extract<Doing, { what: 'forked' }>;

/** A parallel node is entered: one branch for each outgoing edge, or one for each item of its source. */
export function forkInto(walk: WalkContext, stage: OpenStage, node: ParallelNode): void {
  const items = branchItemsOf(walk, stage.id, node);
  if (items && 'failure' in items) return closeAttempt(walk, stage, failed(items.failure));
  const branch_count = items ? items.length : walk.workflow.index.outgoing(node.id).length;
  walk.say({
    event: 'parallel.started',
    ...scopeOf(walk, stage),
    properties: { visit: stage.execution, branch_count },
  });
}

/** Gives free slots to branches that wait for one, and closes the fork once all are over. False when neither is due. */
export function continueFork(walk: WalkContext, stage: OpenStage, { branches, begun, over }: Forked): boolean {
  const node = forkNode(walk, stage);
  if (over.length === branches) {
    closeFork(walk, stage, node, over);
    return true;
  }
  if (begun === branches || walk.state.pause !== 'none' || !hasFreeSlot(walk, walk.path, stage, node)) return false;
  beginBranch(walk, stage, node, begun);
  return true;
}

/** What a branch of `for_each` is about, for the node that is repeated. */
export function itemOf(walk: WalkContext, stage: OpenStage): BranchItem | undefined {
  const { branch, host } = walk.cursor;
  const fork = branch && forkOf(walk);
  if (!fork || !host || stage.node !== edgeOf(walk, fork, branch.index).to) return undefined;
  // What the branch wrote itself is not what it is about.
  const items = walk.on(host.cursor, () => branchItemsOf(walk, host.stageId, fork));
  return Array.isArray(items) ? items[branch.index] : undefined;
}

/** Whether this path is a branch that has come to where its fork goes on. */
export function isAtJoin(walk: WalkContext): boolean {
  const { branch, position } = walk.cursor;
  return branch !== undefined && position.at === 'node' && position.node === forkOf(walk).join;
}

/** Whether an attempt of this path may begin: in a branch only while the fork has a free slot. */
export function mayRetry(walk: WalkContext): boolean {
  const { branch, host } = walk.cursor;
  return !branch || !host || hasFreeSlot(walk, host.cursor, hostStage(walk), forkOf(walk));
}

/** A branch is over. `failure` says why, where none of its stages does. */
export function endBranch(walk: WalkContext, status: OutcomeStatus, failure?: FailureDetail): void {
  const { branch, startedAt } = walk.cursor;
  if (!branch) throw new InvariantError(`The path "${walk.path}" is no branch.`);
  const target = edgeOf(walk, forkOf(walk), branch.index).to;
  walk.say({
    event: 'parallel.branch.completed',
    ...scopeOf(walk, { id: hostStage(walk).id, node: target }),
    properties: {
      ...labelled(branch),
      duration_ms: Math.max(0, walk.moment.now - startedAt),
      status,
      ...(failure && { failure }),
    },
  });
}

function beginBranch(walk: WalkContext, stage: OpenStage, node: ParallelNode, index: number): void {
  const id = branchId(stage.id, index);
  const items = branchItemsOf(walk, stage.id, node);
  const label = Array.isArray(items) ? items[index]?.label : undefined;
  walk.say({
    event: 'parallel.branch.started',
    ...scopeOf(walk, { id: stage.id, node: edgeOf(walk, node, index).to }),
    cursor_id: id,
    parallel_group_id: stage.id,
    parallel_branch_id: id,
    properties: { index, ...(label !== undefined && { item_label: label }) },
  });
}

function closeFork(walk: WalkContext, stage: OpenStage, node: ParallelNode, over: readonly BranchEnd[]): void {
  const inOrder = over.toSorted((a, b) => a.index - b.index);
  const results = resultsInBrief(
    inOrder.map(({ status, context, failure: _, ...branch }): BranchResult => ({
      id: edgeOf(walk, node, branch.index).to,
      ...labelled(branch),
      status,
      ...written(context),
    })),
  );
  const failures = results.filter(({ status }) => status === 'failed').length;
  walk.say({
    event: 'parallel.completed',
    ...scopeOf(walk, stage),
    properties: {
      visit: stage.execution,
      duration_ms: Math.max(0, walk.moment.now - stage.startedAt),
      success_count: results.length - failures,
      failure_count: failures,
      ...(results.length > 0 && { results }),
    },
  });
  const causes = inOrder.flatMap(({ failure }) => failure ?? []);
  closeAttempt(walk, stage, aggregate(results, node, causes));
}

function aggregate(results: readonly BranchResult[], { forEach }: ParallelNode, causes: string[]): AttemptResult {
  if (results.length === 0) {
    const status = forEach === undefined ? 'partially_succeeded' : 'succeeded';
    return { kind: 'outcome', outcome: { status } };
  }
  if (results.every(({ status }) => status === 'failed')) {
    return failed({ message: 'All parallel branches failed', category: 'deterministic', causes });
  }
  const ends = results.map((result): Json => ({ ...result }));
  const notes = branchFailures(ends);
  return { kind: 'outcome', outcome: { status: statusOfBranches(ends), ...(notes !== undefined && { notes }) } };
}

/** Whether one more branch may be under way. One that rests between two attempts leaves its slot to another. */
function hasFreeSlot(
  { agenda }: WalkContext,
  path: string,
  { doing }: OpenStage,
  { maxParallel }: ParallelNode,
): boolean {
  return doing.what === 'forked' && doing.begun - doing.over.length - agenda.resting(path) < maxParallel;
}

function labelled({ index, itemLabel }: NonNullable<Cursor['branch']>): { index: number; item_label?: string } {
  return { index, ...(itemLabel !== undefined && { item_label: itemLabel }) };
}

function written(context: BranchEnd['context']): Pick<BranchResult, 'context_updates'> {
  const context_updates = withoutInternal(context);
  return Object.keys(context_updates).length > 0 ? { context_updates } : {};
}

/** Branches of `for_each` all go along the one edge. */
function edgeOf(walk: WalkContext, { id, forEach }: ParallelNode, index: number): Edge {
  return walk.workflow.index.outgoing(id)[forEach === undefined ? index : 0]!;
}

/** The node at which this branch began. */
export function forkOf(walk: WalkContext): ParallelNode {
  return forkNode(walk, hostStage(walk));
}

function forkNode(walk: WalkContext, { node: id }: OpenStage): ParallelNode {
  const node = walk.workflow.node(id);
  if (node?.kind !== 'parallel') throw new InvariantError(`The log forks at "${id}", which is no parallel node.`);
  return node;
}

function hostStage(walk: WalkContext): OpenStage {
  const host = hostOf(walk.state, walk.cursor);
  const stage = host && openStageOf(host);
  if (!stage) throw new InvariantError(`The stage that opened the path "${walk.path}" is over.`);
  return stage;
}
