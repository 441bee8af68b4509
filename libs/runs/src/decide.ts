import { RunyardError } from '#libs/kernel';
import type { CommandKind, CommandOf, LinkCommand, RunCommand } from './command.js';
import { approve, cancel, deny, endUnheard, pause, resume, start, unpause } from './control.js';
import { NOTHING, statusLeft, statusOfKind, type Decision, type Known, type Moment, type RunHead } from './decision.js';
import {
  IllegalTransitionError,
  NotAPersonError,
  RunActiveError,
  RunArchivedError,
  RunNotFoundError,
} from './errors.js';
import { archive, link, remove, rename, rewind, unarchive, unlink } from './housekeeping.js';
import { isTakenArchived, leadsTo, wordFor, type Doing } from './lifecycle.js';
import { answer, timeOut } from './questions.js';

/** Decides what a command does to a run that may take it. */
export type Rule<Kind extends CommandKind> = (
  head: RunHead,
  command: CommandOf<Kind>,
  known: Known,
  moment: Moment,
) => Decision;

const rules: { [Kind in CommandKind]: Rule<Kind> } = {
  start,
  approve,
  deny,
  resume,
  cancel,
  pause,
  unpause,
  answer,
  archive,
  unarchive,
  rename,
  link,
  unlink,
  remove,
  rewind,
  time_out: timeOut,
  end_unheard: endUnheard,
};

/**
 * What a command does to a run: a change, a refusal, or what has to be known before that can be said; then it is asked
 * again with that. It has no other effect, so it may be asked as often as one likes. No head: there is no such run.
 */
export function decide(
  runId: string,
  head: RunHead | undefined,
  command: RunCommand | LinkCommand,
  known: Known,
  moment: Moment,
): Decision {
  const refusal = consentRefusal(command) ?? refusalOf(runId, head, command.kind, known);
  // Nobody waits for what the server does of its own accord: where it is too late for it, nothing is done.
  if (refusal) return 'actor' in command ? refusal : NOTHING;
  const decision = (rules[command.kind] as Rule<CommandKind>)(head!, command, known, moment);
  if (!isChange(decision) || decision.events.length === 0) return decision;
  return { status: statusLeft(statusOfKind(head!.status), decision.events), ...decision };
}

/** Throws what a run refuses a command with that changes another one: a retry, a fork, a rewind. */
export function requireTaken(
  runId: string,
  head: Pick<RunHead, 'status' | 'isArchived'> | undefined,
  doing: Doing,
): void {
  const refusal = refusalOf(runId, head, doing, { failure: null });
  if (refusal instanceof RunyardError) throw refusal;
}

/** Why a run refuses a command, whatever the command says; undefined where it may take it. */
function refusalOf(
  runId: string,
  head: Pick<RunHead, 'status' | 'isArchived'> | undefined,
  doing: Doing,
  { failure }: Pick<Known, 'failure'>,
): RunyardError | 'failure' | undefined {
  if (!head) return new RunNotFoundError(runId);
  if (head.isArchived && !isTakenArchived(doing)) return new RunArchivedError(runId);
  if (leadsTo(doing, head.status).length > 0) return undefined;
  if (doing === 'remove') return new RunActiveError(runId, head.status);
  if (head.status === 'failed' && failure === undefined) return 'failure';
  return new IllegalTransitionError(runId, head.status, wordFor(doing), failure);
}

export function isChange(decision: Decision): decision is Exclude<Decision, RunyardError | string> {
  return typeof decision === 'object' && 'events' in decision;
}

/** What asks may be right, and who asks not: a run that another one made is looked at by a person. */
function consentRefusal(command: RunCommand | LinkCommand): RunyardError | undefined {
  if (command.kind !== 'approve' && command.kind !== 'deny') return undefined;
  const { kind } = command.actor;
  return kind === 'user' ? undefined : new NotAPersonError(wordFor(command.kind), kind);
}
