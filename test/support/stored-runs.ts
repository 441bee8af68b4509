import { RunDefinition, type StoredState } from '#libs/engine';
import { stamp, type RunEvent, type RunStatusKind, type StampedEvent } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import { compile } from '#libs/language';
import type { RunHead, Slot } from '#libs/runs';
import { ARun } from './a-run.js';

export const RUN_ID = '01J0000000000000000000000A';
export const PERSON = { kind: 'user', id: 'ada', display_name: 'Ada' } as unknown as NonNullable<RunEvent['actor']>;
/** The digest of what every one of these runs was made of. */
export const SPEC_SHA = 'a'.repeat(64);
/** How long each question waits for its answer. */
export const LIMIT_MS = 60_000;

/** A run as it is stored: where it stands, and the log that led there. */
export interface AStoredRun {
  head: RunHead;
  log: readonly StampedEvent[];
  course: (StoredState & { specSha256: string }) | { unread: Error };
  /** The moment of its last event. */
  now: number;
}

const WORK = 'build check start -> build -> check -> exit';
const WAIT = 'pause [shape=insulator, duration=10m] start -> pause -> exit';
const ASK = `ask [shape=hexagon, timeout="60s", human.default_choice=exit] start -> ask; ask -> exit [label="Yes"]`;

const submitted: RunEvent = { event: 'run.submitted', properties: { definition_blob: SPEC_SHA } };
const requested: RunEvent = { event: 'run.start_requested', properties: { resume: false } };
const pending: RunEvent = { event: 'run.pending', properties: { reason: 'approval_required' } };
const queued: RunEvent[] = [submitted, requested, { event: 'run.runnable', properties: { source: 'start_requested' } }];
const promoted: RunEvent[] = [...queued, { event: 'run.starting', properties: {} }];
const pauseRequested: RunEvent = { event: 'run.pause.requested', properties: { action: 'pause' } };

/** The same run, archived. */
export function archived(run: AStoredRun): AStoredRun {
  return { ...run, head: { ...run.head, isArchived: true } };
}

/** The same run, with a request that its worker has not met. */
export function asked(control: 'pause' | 'cancel', run: AStoredRun): AStoredRun {
  return { ...run, head: { ...run.head, pendingControl: control } };
}

function stored(statements: string, status: RunStatusKind, slot: Slot, log: readonly StampedEvent[]): AStoredRun {
  const head: RunHead = { runId: RUN_ID, status, slot, leaseEpoch: 1, pendingControl: null, isArchived: false };
  const tail = log.map((event, i) => ({ ...event, seq: i + 1 }));
  const course = { spec: specOf(statements), snapshot: null, tail, specSha256: SPEC_SHA };
  return { head, log, course, now: Date.parse(log.at(-1)!.ts) };
}

const specs = new Map<string, StoredState['spec']>();

function specOf(statements: string): StoredState['spec'] {
  const spec = specs.get(statements) ?? compiled(statements);
  specs.set(statements, spec);
  return spec;
}

function compiled(statements: string): StoredState['spec'] {
  const source = `digraph Spec {
    start [shape=Mdiamond] exit [shape=Msquare] node [shape=parallelogram, script="true"] ${statements}
  }`;
  const { graph, diagnostics } = compile(source);
  if (!graph) throw new Error(diagnostics[0]?.message);
  const run = { goal: null, execution: { mode: 'normal' }, environment: { env: {} } };
  return { graph: graph as unknown as JsonObject, settings: { run }, workflow_source: source };
}

function aRunOf(statements: string): ARun {
  return new ARun(new RunDefinition(RUN_ID, specOf(statements), null), [], 1);
}

/** Stamped before a run begins to work. */
function before(...events: readonly RunEvent[]): StampedEvent[] {
  return events.map((event) => stamp(event, Date.UTC(2030, 0, 1)));
}

function begun(statements: string): ARun {
  const run = aRunOf(statements);
  run.begin();
  run.take(run.walk.settle());
  return run;
}

function atWork(statements: string): StampedEvent[] {
  return [...before(...promoted), ...begun(statements).log];
}

function atRest(statements: string): StampedEvent[] {
  const run = begun(statements);
  const asked = stamp(pauseRequested, run.now);
  run.walk.hear(asked);
  const { events } = run.walk.rest();
  return [...before(...promoted), ...run.log, asked, ...events];
}

function played(upTo?: string): ARun {
  const run = aRunOf(WORK);
  return upTo === undefined ? run.play() : run.at(upTo);
}

function failed(): StampedEvent[] {
  const run = aRunOf(WORK).at('check');
  run.take(run.walk.fail('workflow_error', { message: 'No.', category: 'deterministic' }));
  return [...before(...promoted), ...run.log];
}

/** Before it came to a checkpoint. */
function ended(): ARun {
  const run = aRunOf(WORK);
  run.take(run.walk.fail('sandbox_init_failed', { message: 'No disk.', category: 'transient_infra' }));
  return run;
}

function cancelled(): StampedEvent[] {
  const run = begun(WORK);
  run.take(run.walk.cancel());
  return run.log;
}

function copied(log: readonly StampedEvent[]): StampedEvent[] {
  const kept = log.filter(({ event }) => !event.startsWith('run.'));
  const last = kept.findLastIndex(({ event }) => event === 'checkpoint.completed');
  return kept.slice(0, last + 1).map((event, seq) => ({ ...event, origin: { run_id: '01JS', seq } }));
}

/** One run for every status, and for every place that makes a difference in it. Not to be changed. */
export const storedRuns = {
  submitted: stored(WORK, 'submitted', 'none', before(submitted)),
  forked: stored(WORK, 'submitted', 'none', [...before(submitted), ...copied(played('check').log)]),
  pending: stored(WORK, 'pending', 'none', before(submitted, requested, pending)),
  runnable: stored(WORK, 'runnable', 'queued', before(...queued)),
  starting: stored(WORK, 'starting', 'held', before(...promoted)),
  running: stored(WORK, 'running', 'held', atWork(WORK)),
  cancelling: asked('cancel', stored(WORK, 'running', 'held', atWork(WORK))),
  waiting: stored(WAIT, 'running', 'parked', atWork(WAIT)),
  blocked: stored(ASK, 'blocked', 'held', atWork(ASK)),
  asking: stored(ASK, 'blocked', 'parked', atWork(ASK)),
  paused: stored(WAIT, 'paused', 'parked', atRest(WAIT)),
  paused_asking: stored(ASK, 'paused', 'parked', atRest(ASK)),
  removing: stored(WORK, 'removing', 'none', [...failed(), ...before({ event: 'run.removing', properties: {} })]),
  succeeded: stored(WORK, 'succeeded', 'none', [...before(...promoted), ...played().log]),
  failed: stored(WORK, 'failed', 'none', failed()),
  failed_early: stored(WORK, 'failed', 'none', [...before(...promoted), ...ended().log]),
  cancelled: stored(WORK, 'failed', 'none', [...before(...promoted), ...cancelled()]),
  dead: stored(WORK, 'dead', 'none', atWork(WORK)),
};

export type Situation = keyof typeof storedRuns;
