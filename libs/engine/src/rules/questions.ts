import type { EventOf, Principal, QuestionAnswer, StampedEvent } from '#libs/events';
import { InvariantError, newUlid } from '#libs/kernel';
import type { HumanNode } from '#libs/language';
import { answerText } from '../human/answer-text.js';
import { automaticAnswer, simulatedOutcome } from '../human/auto-answer.js';
import { askQuestion } from '../human/question.js';
import { outcomeOf } from '../human/take-answer.js';
import { whenUnanswered } from '../human/unanswered.js';
import { isOpenTo } from './open-edges.js';
import { failed } from '../stage/outcome.js';
import { closeAttempt, closeDecided, scopeOf } from './close-attempt.js';
import { openStageOf } from '../state/cursors.js';
import type { AskedQuestion, OpenStage, RunState } from '../state/state.js';
import { readOrRefused } from '../state/unread-value.js';
import type { WalkContext } from './walk-context.js';

/** A question that people may answer now. */
export interface OpenQuestion {
  path: string;
  stage: OpenStage;
  asked: AskedQuestion;
}

const ENGINE: Principal = { kind: 'system', system_kind: 'engine' };
const TIMEOUT: Principal = { kind: 'system', system_kind: 'timeout' };

/** The open questions of a run, the oldest first. */
export function openQuestions(state: RunState): OpenQuestion[] {
  if (state.phase === 'ended') return [];
  const open = askingStages(state).flatMap(({ path, stage, asked }) =>
    asked && !asked.end ? [{ path, stage, asked }] : [],
  );
  return open.sort((a, b) => a.asked.askedAt - b.asked.askedAt || (idOf(a) < idOf(b) ? -1 : 1));
}

/** Whether something is to be said of questions, which is said under the lock. */
export function wantsToAsk(walk: WalkContext): boolean {
  const { state, agenda } = walk;
  const isDue = agenda.count('overdue') > 0 || (agenda.count('unasked') > 0 && mayAsk(state));
  return isDue || state.blocked !== agenda.count('asked') > 0;
}

/** Asks what waits to be asked, ends what nobody answered in time, and says whether people are waited for. */
export function settleQuestions(walk: WalkContext): void {
  for (const { path, stage, asked } of askingStages(walk.state)) {
    walk.on(path, () => {
      if (asked === null && mayAsk(walk.state)) ask(walk, stage);
      else if (asked && !asked.end && isOver(asked, walk.moment.now)) expire(walk, stage, asked);
    });
  }
  sayWhetherBlocked(walk);
}

/** Records an answer. The last one lets the run go on. */
export function answerQuestion(
  walk: WalkContext,
  questionId: string,
  given: QuestionAnswer,
  actor: Principal | undefined,
): void {
  const open = openQuestions(walk.state).find((question) => idOf(question) === questionId);
  if (!open) throw new InvariantError(`Question ${questionId} is not open.`);
  walk.on(open.path, () => complete(walk, open.stage, open.asked, given, actor));
  sayWhetherBlocked(walk);
}

/**
 * A question is over: its stage ends with what the answer means, or with what its node wants when there is none. False
 * while large values of that are kept elsewhere.
 */
export function closeAsked(walk: WalkContext, stage: OpenStage, { question, end }: AskedQuestion): boolean {
  const node = humanNode(walk, stage);
  if (end?.by === 'withdrawal') {
    const message = `human interaction interrupted: ${end.reason}`;
    return closeDecided(walk, stage, failed({ message, category: 'deterministic' }));
  }
  if (end?.by !== 'answer') return closeDecided(walk, stage, whenUnanswered(node, question));
  const edges = walk.workflow.index.outgoing(node.id);
  const outcome = outcomeOf({ node, edges, question, answer: end.answer });
  return closeDecided(walk, stage, { kind: 'outcome', outcome });
}

/** What this path asks is ended from outside: nobody waits for the answer any more. */
export function withdrawQuestion(walk: WalkContext, reason: string): void {
  const stage = openStageOf(walk.cursor);
  if (stage?.doing.what !== 'asking' || !stage.doing.asked || stage.doing.asked.end) return;
  const { question, askedAt } = stage.doing.asked;
  walk.say({
    event: 'interview.interrupted',
    ...scopeOf(walk, stage),
    actor: ENGINE,
    properties: {
      question_id: question.question_id,
      question: question.question,
      stage: question.stage,
      reason,
      duration_ms: Math.max(0, walk.moment.now - askedAt),
    },
  });
}

type Withdrawal = Extract<StampedEvent, EventOf<'interview.interrupted'>>;

export function isWithdrawal(event: StampedEvent): event is Withdrawal {
  return event.event === 'interview.interrupted';
}

/** In a dry run nobody is asked. */
export function simulateQuestion(walk: WalkContext, stage: OpenStage, node: HumanNode): void {
  const outcome = simulatedOutcome(node, walk.workflow.index.outgoing(node.id), isOpenTo(walk));
  closeAttempt(walk, stage, { kind: 'outcome', outcome });
}

function ask(walk: WalkContext, stage: OpenStage): void {
  const node = humanNode(walk, stage);
  const asking = readOrRefused(() =>
    askQuestion({
      node,
      edges: walk.workflow.index.outgoing(node.id),
      isOpen: isOpenTo(walk),
      questionId: newUlid(walk.moment.now),
      lookup: (key) => walk.lookup(key),
    }),
  );
  if ('failure' in asking) return closeAttempt(walk, stage, failed(asking.failure));
  walk.say({ event: 'interview.started', ...scopeOf(walk, stage), properties: asking.question });
  if (!walk.definition.autoApprove) return;
  const asked = { question: asking.question, askedAt: walk.moment.now, until: null, end: null };
  complete(walk, stage, asked, automaticAnswer(asking.question), ENGINE);
}

function complete(
  walk: WalkContext,
  stage: OpenStage,
  { question, askedAt }: AskedQuestion,
  given: QuestionAnswer,
  actor: Principal | undefined,
): void {
  walk.say({
    event: 'interview.completed',
    ...scopeOf(walk, stage),
    ...(actor && { actor }),
    properties: {
      question_id: question.question_id,
      question: question.question,
      answer: answerText(question, given),
      given,
      duration_ms: Math.max(0, walk.moment.now - askedAt),
    },
  });
}

function expire(walk: WalkContext, stage: OpenStage, { question, askedAt }: AskedQuestion): void {
  walk.say({
    event: 'interview.timeout',
    ...scopeOf(walk, stage),
    actor: TIMEOUT,
    properties: {
      question_id: question.question_id,
      question: question.question,
      stage: question.stage,
      duration_ms: Math.max(0, walk.moment.now - askedAt),
    },
  });
}

function sayWhetherBlocked(walk: WalkContext): void {
  const isWaiting = openQuestions(walk.state).length > 0;
  if (isWaiting === walk.state.blocked) return;
  if (isWaiting) walk.say({ event: 'run.blocked', properties: { blocked_reason: 'human_input_required' } });
  else walk.say({ event: 'run.unblocked', properties: {} });
}

function askingStages(state: RunState): { path: string; stage: OpenStage; asked: AskedQuestion | null }[] {
  const asking = [];
  for (const path in state.cursors) {
    const stage = openStageOf(state.cursors[path]!);
    if (stage?.doing.what === 'asking') asking.push({ path, stage, asked: stage.doing.asked });
  }
  return asking;
}

/** Nothing new is asked of a run that is to rest; what it asked before still runs out of time. */
function mayAsk({ pause }: RunState): boolean {
  return pause === 'none';
}

function humanNode(walk: WalkContext, stage: OpenStage): HumanNode {
  const node = walk.workflow.node(stage.node);
  if (node?.kind !== 'human') throw new InvariantError(`The log asks at "${stage.node}", which is no human node.`);
  return node;
}

function isOver({ until }: AskedQuestion, now: number): boolean {
  return until !== null && until <= now;
}

function idOf({ asked }: { asked: AskedQuestion }): string {
  return asked.question.question_id;
}
