import { describe, expect, it } from '@jest/globals';
import { RunyardError } from '#libs/kernel';
import { decided, fitting } from '../../../test/support/decided.js';
import {
  archived,
  asked,
  LIMIT_MS,
  PERSON,
  RUN_ID,
  SPEC_SHA,
  storedRuns,
  type AStoredRun,
  type Situation,
} from '../../../test/support/stored-runs.js';
import type { CommandKind, LinkCommand, RunCommand } from './command.js';
import type { Change } from './decision.js';

const actor = PERSON;
const WORKER = { kind: 'worker', run_id: '01JW' } as unknown as typeof PERSON;
const ARCHIVED = 'Run * is archived, so nothing can be done with it. Unarchive it first.';

/** Given a run, when somebody asks for this, then these events follow, and this becomes of its place; or it is refused. */
type Example = [
  given: Situation | AStoredRun,
  when: CommandKind | RunCommand | LinkCommand,
  then: { events: string; slot?: string; pendingControl?: string | null; status?: string } | string,
];

const CONSENT = { actor, needsConsent: true };
const BUSY = 'interview.completed run.unblocked';
const END = 'stage.failed run.failed';

const examples: Example[] = [
  // A run begins, or a person is asked first.
  ['submitted', 'start', { events: 'run.start_requested run.runnable', slot: 'queued' }],
  ['submitted', { kind: 'start', ...CONSENT }, { events: 'run.start_requested run.pending', status: 'pending' }],
  ['pending', 'approve', { events: 'run.approved run.runnable', slot: 'queued' }],
  ['pending', 'deny', { events: 'run.denied run.failed', slot: 'none' }],
  ['runnable', 'start', 'Run * is runnable; it cannot be started.'],
  ['runnable', 'approve', 'Run * is runnable; it cannot be approved.'],
  ['pending', { kind: 'approve', actor: WORKER }, 'Runs are approved by people; this token belongs to a worker.'],
  [
    'removing',
    { kind: 'deny', actor: WORKER, reason: '' },
    'Runs are denied by people; this token belongs to a worker.',
  ],

  // A failed run goes on, a fork begins, from a checkpoint.
  [
    'failed',
    'resume',
    { events: 'run.start_requested run.submitted run.runnable', slot: 'queued', pendingControl: null },
  ],
  ['failed', { kind: 'resume', ...CONSENT }, { events: 'run.start_requested run.submitted run.pending', slot: 'none' }],
  ['forked', 'resume', { events: 'run.start_requested run.runnable', slot: 'queued' }],
  ['forked', { kind: 'resume', ...CONSENT }, { events: 'run.start_requested run.pending' }],
  ['failed_early', 'resume', 'Run * has no checkpoint to go on from; retry it instead.'],
  ['submitted', 'resume', 'Run * has no checkpoint to go on from; start it without "resume".'],

  // A run that nobody drives ends at once, another one is asked to.
  ['submitted', 'cancel', { events: 'run.cancel.requested run.failed', slot: 'none', pendingControl: null }],
  ['waiting', 'cancel', { events: `run.cancel.requested ${END}`, slot: 'none', pendingControl: null }],
  ['asking', 'cancel', { events: `run.cancel.requested interview.interrupted ${END}`, slot: 'none' }],
  ['running', 'cancel', { events: 'run.cancel.requested', pendingControl: 'cancel' }],
  [asked('pause', storedRuns.running), 'cancel', { events: 'run.cancel.requested', pendingControl: 'cancel' }],
  ['cancelling', 'cancel', { events: '' }],
  [unread('waiting'), 'cancel', { events: 'run.cancel.requested run.failed', slot: 'none' }],
  ['succeeded', 'cancel', 'Run * is succeeded; it cannot be cancelled.'],
  ['failed', 'cancel', 'Run * is failed; it cannot be cancelled.'],
  ['cancelled', 'cancel', 'Run * is cancelled; it cannot be cancelled.'],
  ['cancelled', 'pause', 'Run * is cancelled; it cannot be paused.'],
  ['cancelling', 'end_unheard', { events: END, slot: 'none', pendingControl: null }],
  ['cancelling', { kind: 'end_unheard', epoch: 7 }, { events: '' }],

  // A run at work is asked to pause, one that waits does so at once; it goes on with what it waited for.
  ['running', 'pause', { events: 'run.pause.requested', pendingControl: 'pause' }],
  [asked('pause', storedRuns.running), 'pause', 'Run * has a pending pause request; wait until it is fulfilled.'],
  ['waiting', 'pause', { events: 'run.pause.requested run.paused', slot: 'parked' }],
  ['paused', 'unpause', { events: 'run.unpause.requested run.unpaused', slot: 'queued', status: 'running' }],
  ['paused_asking', 'unpause', { events: 'run.unpause.requested run.unpaused', slot: 'queued', status: 'blocked' }],
  ['running', 'unpause', 'Run * is running; it cannot be unpaused.'],

  // The answer lets a run go on that waits for it; a paused one stays so, also when time is over.
  ['asking', 'answer', { events: BUSY, slot: 'queued', status: 'running' }],
  ['blocked', 'answer', { events: BUSY, status: 'running' }],
  ['paused_asking', 'answer', { events: BUSY, status: 'paused' }],
  ['paused_asking', 'time_out', { events: 'interview.timeout run.unblocked', status: 'paused' }],
  ['paused_asking', { kind: 'time_out', dueAtMs: 0 }, { events: '' }],
  ['running', 'answer', 'Question none of run * is not open: it is answered already, timed out, or was never asked.'],
  ['succeeded', 'answer', 'Run * is succeeded; it cannot be answered.'],

  // What is noted about a run moves nothing.
  ['running', 'rename', { events: 'run.title.updated' }],
  ['running', { kind: 'rename', actor, title: 'Old', presentTitle: 'Old' }, { events: '' }],
  ['running', 'archive', 'Run * is running; it cannot be archived.'],
  ['succeeded', 'archive', { events: 'run.archived' }],
  [archived(storedRuns.succeeded), 'archive', { events: '' }],
  [archived(storedRuns.succeeded), 'unarchive', { events: 'run.unarchived' }],
  [archived(storedRuns.succeeded), 'rename', { events: 'run.title.updated' }],
  [archived(storedRuns.failed), 'resume', ARCHIVED],
  [archived(storedRuns.failed), 'cancel', ARCHIVED],
  ['failed', 'rewind', { events: 'run.superseded_by run.archived' }],
  ['running', 'rewind', 'Run * is running; it cannot be rewound.'],
  ['running', 'link', { events: 'run.parent.linked' }],
  ['running', linked('01JP', '01JP'), { events: '' }],
  ['running', linked(RUN_ID, '01JP', RUN_ID), `Run ${RUN_ID} cannot be the parent of run *: it is that run itself.`],
  ['running', linked('01JP', null, '01JP', RUN_ID), 'Run 01JP cannot be the parent of run *: it descends from it.'],
  ['running', 'unlink', { events: 'run.parent.unlinked' }],
  ['running', { kind: 'unlink', actor, previousParentId: null }, { events: '' }],
  ['running', 'remove', 'Run * is running. Cancel it first, or delete it with force=true.'],
  ['cancelled', 'remove', { events: 'run.removing', status: 'removing' }],
];

describe('a run', () => {
  it.each(examples.map((example) => [titleOf(example), example] as const))('%s', (_, [given, when, then]) => {
    const run = typeof given === 'string' ? storedRuns[given] : given;
    const result = decided(run, typeof when === 'string' ? fitting[when](run) : when);
    if (typeof then === 'string') expect((result as RunyardError).message).toBe(then.replace('*', RUN_ID));
    else {
      const { events, ...rest } = result as Change;
      expect({ ...rest, events: events.map(({ event }) => event).join(' ') }).toMatchObject(then);
    }
  });

  it('that is not there is told of by name, whatever is asked', () => {
    for (const kind of Object.keys(fitting) as CommandKind[]) {
      const result = decided({ ...storedRuns.running, head: undefined }, fitting[kind](storedRuns.running));
      if (result instanceof RunyardError) expect(result.message).toBe(`Run ${RUN_ID} was not found.`);
      else expect([kind, result.events]).toEqual([expect.stringMatching(/^(time_out|end_unheard)$/), []]);
    }
  });

  it('keeps what was asked, by whom, and why', () => {
    const [denied, end] = (decided(storedRuns.pending, fitting.deny(storedRuns.pending)) as Change).events;
    expect(denied).toMatchObject({ event: 'run.denied', actor, properties: { reason: 'Not today.' } });
    const detail = { message: 'Not today.', category: 'canceled' };
    expect(end).toMatchObject({ properties: { failure: { reason: 'approval_denied', detail } } });
    const [, submitted] = (decided(storedRuns.failed, fitting.resume(storedRuns.failed)) as Change).events;
    expect(submitted).toMatchObject({ properties: { definition_blob: SPEC_SHA } });
  });

  it('that is paused knows when it is due next, and nothing is due after an answer', () => {
    const paused = decided(storedRuns.asking, { kind: 'pause', actor }) as Change;
    expect(paused.wakeAt).toBe(storedRuns.asking.now + LIMIT_MS);
    const run = storedRuns.paused_asking;
    expect((decided(run, fitting.answer(run)) as Change).wakeAt).toBeNull();
  });

  it('does not go on while its course cannot be read', () => {
    const run = unread('failed');
    expect(() => decided(run, fitting.resume(run))).toThrow('No course.');
  });
});

function titleOf([given, when]: Example): string {
  const { head } = typeof given === 'string' ? storedRuns[given] : given;
  const run =
    typeof given === 'string'
      ? given
      : Object.values(head)
          .filter((it) => it !== RUN_ID)
          .join(' ');
  return `that is ${run}, when asked to ${typeof when === 'string' ? when : JSON.stringify(when)}`;
}

/** Its log makes no sense to anybody. */
function unread(situation: Situation): AStoredRun {
  return { ...storedRuns[situation], course: { unread: new Error('No course.') } };
}

function linked(parentId: string, previousParentId: string | null, ...lineage: string[]): LinkCommand {
  return { kind: 'link', actor, parentId, previousParentId, lineage: new Set(lineage) };
}
