import type { Node } from '#libs/language';
import { attemptIdOf, InvariantError, stageIdOf } from '#libs/kernel';
import { isDecidedByWalk } from '../definition/node-kinds.js';
import { retryPolicyOf } from '../stage/retry-policy.js';
import { beforeAttempt } from './ask-hooks.js';
import { briefingFor } from './brief.js';
import { joined } from './fan-in.js';
import { itemOf, forkInto } from './fork.js';
import { held } from '../state/by-name.js';
import { closeAttempt, scopeOf } from './close-attempt.js';
import { placeOf, visitsOf } from '../state/cursors.js';
import { simulateQuestion } from './questions.js';
import type { OpenStage } from '../state/state.js';
import { beginChild } from './supervise.js';
import type { WalkContext } from './walk-context.js';

type Attempt = Pick<OpenStage, 'id' | 'index' | 'attempt' | 'maxAttempts'>;

/** A node is entered: a new execution of it, its first attempt. False while hooks are asked. */
export function startStage(walk: WalkContext, node: Node): boolean {
  const execution = (held(walk.state.executions, node.id) ?? 0) + 1;
  const policy = retryPolicyOf(node, walk.workflow.graph.attributes.defaultMaxRetries);
  return startAttempt(walk, node, {
    id: stageIdOf(node.id, execution),
    index: walk.state.stagesStarted,
    attempt: 1,
    maxAttempts: policy.attempts,
  });
}

/** The rest after a failed attempt is over: the next one, in the same stage. False while hooks are asked. */
export function retryStage(walk: WalkContext, stage: OpenStage): boolean {
  return startAttempt(walk, nodeOf(walk, stage), { ...stage, attempt: stage.attempt + 1 });
}

function startAttempt(walk: WalkContext, node: Node, attempt: Attempt): boolean {
  const decision = beforeAttempt(walk, node, attempt);
  if (!decision) return false;
  say(walk, node, attempt);
  if (decision.decision === 'skip') skip(walk, decision.reason);
  else begin(walk, node);
  return true;
}

/** A hook wants this stage left out. */
function skip(walk: WalkContext, notes: string | undefined): void {
  const outcome = { status: 'skipped' as const, ...(notes !== undefined && { notes }) };
  closeAttempt(walk, openStage(walk), { kind: 'outcome', outcome });
}

/**
 * The worker that executed this stage is gone: the same stage and the same attempt go on under this epoch, with an
 * attempt id of their own. No retry is spent.
 */
export function resumeAttempt(walk: WalkContext, stage: OpenStage): void {
  say(walk, nodeOf(walk, stage), stage);
  execute(walk, openStage(walk));
}

function say(walk: WalkContext, node: Node, stage: Attempt): void {
  const { epoch } = walk.moment;
  const reentered = walk.cursor.position.at === 'stage';
  const visits = visitsOf(walk.state, walk.cursor, node.id);
  const givenUp = held(walk.state.givenUp, placeOf(walk.state, walk.cursor, node.id));
  walk.say({
    event: 'stage.started',
    node_id: node.id,
    node_label: node.label,
    stage_id: stage.id,
    properties: {
      index: stage.index,
      handler_type: node.kind,
      attempt: stage.attempt,
      max_attempts: stage.maxAttempts,
      graph_visit: visits + (reentered ? 0 : 1),
      attempt_id: attemptIdOf(walk.definition.runId, stage.id, stage.attempt, epoch),
      epoch,
      ...(!reentered && givenUp !== undefined && { resumed_from_stage_id: givenUp }),
    },
  });
}

/** Nodes that only decide are done at once; some wait for time, people or other paths; the rest is work for a handler. */
function begin(walk: WalkContext, node: Node): void {
  const stage = openStage(walk);
  switch (node.kind) {
    case 'start':
    case 'conditional':
      return closeAttempt(walk, stage, { kind: 'outcome', outcome: { status: 'succeeded' } });
    case 'parallel.fan_in': {
      const result = joined(walk);
      const isDecided = isDecidedByWalk(node) || result.kind === 'error';
      return isDecided ? closeAttempt(walk, stage, result) : execute(walk, stage);
    }
    case 'wait':
      return beginWait(walk, stage, node);
    case 'human':
      return walk.definition.dryRun ? simulateQuestion(walk, stage, node) : undefined;
    case 'parallel':
      return forkInto(walk, stage, node);
    case 'stack.manager_loop':
      return beginChild(walk, stage, node);
    default:
      return execute(walk, stage);
  }
}

function beginWait(walk: WalkContext, stage: OpenStage, node: Extract<Node, { kind: 'wait' }>): void {
  const durationMs = walk.definition.dryRun ? 0 : Math.min(node.durationMs, node.timeoutMs ?? Infinity);
  const until = new Date(walk.moment.now + durationMs).toISOString();
  walk.say({ event: 'stage.waiting', ...scopeOf(walk, stage), properties: { kind: 'timer', until } });
}

function execute(walk: WalkContext, stage: OpenStage): void {
  const item = itemOf(walk, stage);
  const briefing = briefingFor(walk, nodeOf(walk, stage));
  walk.execute({ stage, ...(item && { item }), ...(briefing && { briefing }) });
}

function openStage(walk: WalkContext): OpenStage {
  const { position } = walk.cursor;
  if (position.at !== 'stage') throw new InvariantError('A stage was started and is not open.');
  return { ...position.stage };
}

function nodeOf(walk: WalkContext, stage: OpenStage): Node {
  const node = walk.workflow.node(stage.node);
  if (!node) throw new InvariantError(`The log names a node "${stage.node}" that the graph does not have.`);
  return node;
}
