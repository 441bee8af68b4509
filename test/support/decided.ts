import { stamp, type RunEvent } from '#libs/events';
import { type RunyardError } from '#libs/kernel';
import { decide, type Change, type CommandKind, type Known, type LinkCommand, type RunCommand } from '#libs/runs';
import { LIMIT_MS, PERSON, RUN_ID, type AStoredRun } from './stored-runs.js';

const actor = PERSON;

/** Each command as it fits a run: what it names is there, if it can be. */
export const fitting: { [Kind in CommandKind]: (run: AStoredRun) => RunCommand | LinkCommand } = {
  start: () => ({ kind: 'start', actor, needsConsent: false }),
  resume: () => ({ kind: 'resume', actor, needsConsent: false }),
  approve: () => ({ kind: 'approve', actor }),
  deny: () => ({ kind: 'deny', actor, reason: 'Not today.' }),
  cancel: () => ({ kind: 'cancel', actor }),
  pause: () => ({ kind: 'pause', actor }),
  unpause: () => ({ kind: 'unpause', actor }),
  answer: (run) => ({
    kind: 'answer',
    actor,
    questionId: questionOf(run),
    answer: { kind: 'selected', option_key: 'Y' },
  }),
  archive: () => ({ kind: 'archive', actor }),
  unarchive: () => ({ kind: 'unarchive', actor }),
  rename: () => ({ kind: 'rename', actor, title: 'New', presentTitle: 'Old' }),
  link: () => ({ kind: 'link', actor, parentId: '01JP', previousParentId: null, lineage: new Set(['01JP']) }),
  unlink: () => ({ kind: 'unlink', actor, previousParentId: '01JP' }),
  remove: () => ({ kind: 'remove', actor }),
  rewind: () => ({ kind: 'rewind', actor, newRunId: '01JN', checkpoint: { ordinal: 1, nodeId: 'build', visit: 1 } }),
  time_out: ({ now }) => ({ kind: 'time_out', dueAtMs: now + LIMIT_MS }),
  end_unheard: () => ({ kind: 'end_unheard', epoch: 1 }),
};

/** Asks as the ledger does: again with whatever the decision wants to know. The run itself stays as it is. */
export function decided(
  { head, course, log, now }: AStoredRun | (Omit<AStoredRun, 'head'> & { head: undefined }),
  command: RunCommand | LinkCommand,
): Change | RunyardError {
  const moment = { now, random: () => 0.5, stamp: (event: RunEvent) => stamp(event, now) };
  const known: Known = {};
  for (;;) {
    const decision = decide(RUN_ID, head, command, known, moment);
    if (decision === 'course') known.course = 'unread' in course ? course : structuredClone(course);
    else if (decision === 'failure') known.failure = failureOf(log);
    else return decision;
  }
}

function failureOf(log: AStoredRun['log']) {
  const end = log.findLast(({ event }) => event === 'run.failed');
  return end?.event === 'run.failed' ? end.properties.failure.reason : null;
}

function questionOf({ log }: AStoredRun): string {
  const asked = log.find(({ event }) => event === 'interview.started');
  return asked?.event === 'interview.started' ? asked.properties.question_id : 'none';
}
