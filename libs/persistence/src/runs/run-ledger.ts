import type { RunKey } from '#libs/engine';
import { stamp, type Principal, type RunView } from '#libs/events';
import { RunyardError, type Clock, type Json, type TenantId } from '#libs/kernel';
import {
  RunNotFoundError,
  type Change,
  type CommandOf,
  type HousekeepingCommand,
  type Moment,
  type RunCommand,
} from '#libs/runs';
import { Batcher } from '../batcher.js';
import type { Database, Statement } from '../database.js';
import { DatabaseUnavailableError, LogIsColdError } from '../errors.js';
import type { ColdLogs } from '../log/cold-logs.js';
import { returnLog } from '../retention/return-log.js';
import { announce } from '../slots/announce.js';
import type { CommitSignals } from '../log/commit-signals.js';
import { bodiesOf } from '../log/event-rows.js';
import { keyOf, LOCK_HEADS, type LockedHead } from '../log/locked-heads.js';
import { LOCK_SLOTS, promote } from '../slots/promote.js';
import { changeRun, type DecideChange, type Loaded } from './change-run.js';
import { prepareRun, type Idempotency, type Insertion, type NewRun, type PreparedRun } from './create-runs.js';
import { linkParent, type LinkRequest } from './link-parent.js';
import { noteRuns, obeying, type DecideNote, type Noted } from './note-runs.js';
import { RecentEvents } from '../log/recent-events.js';
import { decideCommand } from './decide-command.js';
import { retryRun, RunNotInsertedError, type RetryRequest } from './retry-run.js';
import { RunInsertions } from './run-insertions.js';
import type { RunOfMoment } from './run-of-moment.js';
import { RunRecords, type StoredRun } from './run-records.js';
import { prepareStart, startRuns, type PreparedStart, type StartRequest } from './start-runs.js';
import { unlinkChildren } from './unlink-children.js';
import { Turns } from './turns.js';

/** The id or the idempotency key belongs to another request. */
export class RunIdTakenError extends RunyardError {
  override readonly code = 'run_id_taken';
  readonly kind = 'conflict';
}

// Locked before it is removed, so that who removes it a second time finds it gone, and not the one that has its id now.
const removeRun: Statement = {
  name: 'remove-run',
  text: `
WITH l AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id FROM run_heads h JOIN runs r ON r.tenant_id = h.tenant_id AND r.id = h.run_id
   WHERE h.tenant_id = $1 AND h.run_id = $2 AND ($3::timestamptz IS NULL OR r.created_at = $3) FOR UPDATE OF h)
SELECT remove_run(tenant_id, run_id) FROM l`,
};

const removeEvents: Statement = { name: 'remove-events', text: 'SELECT remove_events($1, $2, $3)' };

/** Events that one statement removes: a second's work, where it may take ten. */
const REMOVED_AT_ONCE = 100_000;

/**
 * The run API's side of the log: beside what is read of it, what people ask for, each in one transaction with its events.
 * Creations and starts that arrive together share a commit. Every method is confined to the tenant it is given.
 */
export class RunLedger extends RunRecords {
  private readonly creations: Batcher<PreparedRun, Insertion>;
  private readonly starts: Batcher<PreparedStart, boolean>;
  private readonly promotions: Batcher<void, void>;
  private readonly insertions = new RunInsertions();
  private readonly turns = new Turns();

  constructor(
    database: Database,
    private readonly signals: CommitSignals,
    private readonly clock: Clock,
    private readonly cold: ColdLogs,
    recent = new RecentEvents(),
  ) {
    super(database, cold, recent);
    this.creations = new Batcher((runs) => this.insertions.insertBatch(database, runs), {
      maxItems: 128,
      concurrency: 2,
    });
    this.starts = new Batcher((requests) => this.startAll(requests), { maxItems: 128, concurrency: 1 });
    this.promotions = new Batcher((asked) => this.promote(asked), { maxItems: 128, concurrency: 1 });
  }

  /**
   * Stores a run. When its id or its idempotency key is taken: the stored run if it is that of the same request, else a
   * {@link RunIdTakenError}. Safe to repeat. The view is that of a run that was stored just now; the reply, what its
   * request is told, is that of the stored run.
   */
  async create(run: NewRun): Promise<{ run: RunKey; view: RunView | null; reply: Json }> {
    const prepared = prepareRun(run);
    const inserted = await this.insertions.withDefinitions(prepared, (whole) =>
      onceMore(() => this.creations.add(whole)),
    );
    if (inserted.kind !== 'stored') {
      const stored = await this.storedFor(run);
      return { run: stored, view: null, reply: stored.reply };
    }
    const { tenantId, runId, events } = run;
    const begun = { tenantId, runId, toSeq: events.length, bodies: bodiesOf(prepared.append) };
    this.recent.add(begun);
    this.identify(prepared, inserted.bornAt);
    this.signals.created(begun);
    return { run, view: prepared.view, reply: run.idempotency?.reply ?? null };
  }

  /**
   * The run that this request made before, under its key; undefined when the key is free. Throws a
   * {@link RunIdTakenError} when the key belongs to another request.
   */
  async repeated(tenantId: TenantId, request: Idempotency): Promise<StoredRun | undefined> {
    const stored = await this.findByKey(tenantId, request.key);
    if (!stored || stored.requestSha256 === request.requestSha256) return stored;
    throw keyTaken(request.key);
  }

  /** Makes a submitted run runnable and gives it a slot if one is free. Rejects with a `conflict` from any other status. */
  async start(request: StartRequest): Promise<void> {
    if (await this.starts.add(prepareStart(request, this.moment()))) return;
    const { kind = 'start', actor } = request;
    await this.decided(request, { kind, actor, needsConsent: false });
  }

  /**
   * Does with a run what somebody wants of it, as the rules of its lifecycle decide from its head and, where they ask for it,
   * from the engine's state of the same moment. What they say is stored only if both still stand then, so they may be asked
   * more than once. Throws their refusal, and stores nothing then; harmless where nothing is to be done. Changes of one run take
   * turns. A log that lies in the object store comes back when the state is asked for: the run is about to go on.
   */
  async change(run: RunKey, command: RunCommand): Promise<void> {
    if (isHousekeeping(command)) {
      const [noted] = await this.changeAll([run], command);
      if (noted instanceof Error) throw noted;
    } else if (isShared(command)) await this.start({ ...run, actor: command.actor, kind: command.kind });
    else await this.decided(run, command);
  }

  /** Changes a run as {@link change} does, by a decision of the caller's own. */
  changeBy(
    run: RunKey,
    decideBy: (head: LockedHead, load: () => Promise<Loaded>) => Promise<Change | null>,
  ): Promise<void> {
    return this.inTurn(run, (head, load) => {
      if (!head) throw new RunNotFoundError(run.runId);
      return decideBy(head, load);
    });
  }

  /**
   * Notes the same about several runs, each named once, in one commit for all: whether that changed anything, or why it was
   * refused, in their order. Nothing of it moves a run, so archived ones take it, too.
   */
  changeAll(runs: readonly RunOfMoment[], command: HousekeepingCommand): Promise<Noted[]> {
    return this.note(runs, obeying(command, this.moment()));
  }

  /**
   * Appends what people note about runs, each named once, in one commit for all: whatever their status, and to archived
   * ones, too. `decide` sees each head as nobody else can change it meanwhile; it may run more than once and must have no
   * other effect. Returns its results in the order of the runs.
   */
  async note<T>(runs: readonly RunOfMoment[], decide: DecideNote<T>): Promise<T[]> {
    const { results, grown } = await this.database.transaction((tx) => noteRuns(tx, runs, decide), LOCK_HEADS);
    announce(this.signals, grown, []);
    return results;
  }

  /**
   * Gives a run another parent, or none; harmless to repeat. Throws {@link RunNotFoundError} for either of them, and
   * {@link ParentCycleError} when the parent is the run itself or descends from it, whatever is linked at the same moment.
   */
  async link(request: LinkRequest): Promise<void> {
    const moment = this.moment();
    announce(this.signals, await this.database.transaction((tx) => linkParent(tx, request, moment), LOCK_HEADS), []);
  }

  /** Leaves no run with this parent. Where it breaks off some of the children are done; harmless to repeat. */
  async unlinkChildren(parent: RunKey, actor: Principal): Promise<void> {
    const moment = this.moment();
    for (let done = false; !done;) {
      const { grown, isDone } = await this.database.transaction((tx) => unlinkChildren(tx, parent, actor, moment));
      announce(this.signals, grown, []);
      done = isDone;
    }
  }

  /**
   * Stores a run under a fresh id and starts it, in one commit, if the run that it tries again is over and not archived;
   * rejects with a `conflict` otherwise, and leaves nothing then, not even the key. When the idempotency key is taken: the
   * run of the same request, else a {@link RunIdTakenError}.
   */
  async retry(source: RunKey, run: NewRun, actor: Principal): Promise<RunKey> {
    const retried = await this.insertions.withDefinitions(prepareRun(run), (prepared) =>
      onceMore(() => this.retryOnce({ source, prepared, actor })),
    );
    return retried.kind === 'stored' ? run : this.storedFor(run);
  }

  /**
   * Removes a run and everything the database holds of it. Harmless when it is gone: with a `bornAt`, a run that has its id
   * since is left alone. Of a log that is known to be long the newest events go first, in steps; a removal that fails
   * between them is gone on with when the run is removed again.
   */
  async remove({ tenantId, runId, bornAt, lastSeq = 0 }: RunOfMoment & { lastSeq?: number }): Promise<void> {
    for (let from = lastSeq - REMOVED_AT_ONCE; from > 0; from -= REMOVED_AT_ONCE) {
      await this.database.queryAgain(removeEvents, [tenantId, runId, from]);
    }
    await this.database.queryAgain(removeRun, [tenantId, runId, bornAt ?? null]);
    this.recent.remove({ tenantId, runId });
  }

  private decided(run: RunKey, command: RunCommand): Promise<void> {
    const failure = () => this.failureOf(run);
    return this.inTurn(run, (head, course) =>
      decideCommand(run.runId, head, command, this.moment(), { course, failure }),
    );
  }

  private inTurn(run: RunKey, decide: DecideChange): Promise<void> {
    return this.turns.take(keyOf(run), async () => {
      try {
        await this.changeHot(run, decide);
      } catch (thrown) {
        if (!(thrown instanceof LogIsColdError)) throw thrown;
        await returnLog(this.database, this.cold, run);
        await this.changeHot(run, decide);
      }
    });
  }

  private moment(): Moment {
    const now = this.clock.now();
    return { now, random: Math.random, stamp: (event) => stamp(event, now) };
  }

  private async changeHot(run: RunKey, decide: DecideChange): Promise<void> {
    const changed = await changeRun(this.database, run, decide, (...asked) => this.loadState(...asked));
    if (!changed) return;
    announce(this.signals, [changed.grown], []);
    if (changed.movesSlots) await this.promoteNext();
  }

  /** The change is stored already: where this fails, upkeep does the same within a second. */
  private async promoteNext(): Promise<void> {
    try {
      await this.promotions.add();
    } catch (thrown) {
      if (!(thrown instanceof DatabaseUnavailableError)) throw thrown;
    }
  }

  private async promote(asked: readonly void[]): Promise<readonly void[]> {
    const now = this.clock.now();
    const promoted = await this.database.transaction((tx) => promote(tx, now, asked.length), LOCK_SLOTS);
    announce(this.signals, [], promoted);
    return asked;
  }

  /** All or nothing; what is promised to others is announced after the commit. */
  private async retryOnce(request: RetryRequest): Promise<Insertion> {
    try {
      const { bornAt, grown, promoted } = await this.insertions.remembering((known) =>
        this.database.transaction(async (tx) => {
          const moment = this.moment();
          const retried = await retryRun(tx, request, known, moment);
          return { ...retried, promoted: await promote(tx, moment.now, 1) };
        }, LOCK_SLOTS),
      );
      announce(this.signals, [grown], promoted);
      this.identify(request.prepared, bornAt);
      return { kind: 'stored', bornAt };
    } catch (thrown) {
      if (!(thrown instanceof RunNotInsertedError)) throw thrown;
      return thrown.insertion;
    }
  }

  /** The run that has the id or the key of one that could not be stored, if the same was asked for. */
  private async storedFor(run: NewRun): Promise<StoredRun> {
    const { idempotency, manifest } = run;
    const stored = await this.find(run, idempotency?.key);
    if (stored && isSameRequest(stored, idempotency?.requestSha256 ?? null, manifest.sha256)) return stored;
    if (idempotency) throw keyTaken(idempotency.key);
    throw new RunIdTakenError(`Run id ${run.runId} belongs to a run with another manifest; use a fresh one.`);
  }

  /** The beginning of a log that is in memory is that of the run that was stored just now. */
  private identify({ run, append }: PreparedRun, bornAt: string): void {
    this.recent.identify(run, bornAt, [{ seq: 1, body: append.events[0]!.body }]);
  }

  private async startAll(requests: readonly PreparedStart[]): Promise<boolean[]> {
    const { results, grown, promoted } = await startRuns(this.database, requests, this.clock.now());
    announce(this.signals, grown, promoted);
    return results;
  }
}

const HOUSEKEEPING: ReadonlySet<string> = new Set<HousekeepingCommand['kind']>([
  ...(['archive', 'unarchive', 'rename', 'remove'] as const),
]);

function isHousekeeping(command: RunCommand): command is HousekeepingCommand {
  return HOUSEKEEPING.has(command.kind);
}

/** Starts that need nothing but the status share a commit. */
function isShared(command: RunCommand): command is CommandOf<'start' | 'approve'> {
  return command.kind === 'approve' || (command.kind === 'start' && !command.needsConsent);
}

function keyTaken(key: string): RunIdTakenError {
  return new RunIdTakenError(`Idempotency key "${key}" belongs to another request; use a fresh one.`);
}

/** Only creations are compared by what the run was made of. */
function isSameRequest(stored: StoredRun, requestSha256: string | null, manifestSha256: string): boolean {
  if (stored.requestSha256 !== requestSha256) return false;
  return requestSha256 !== null || stored.manifestSha256 === manifestSha256;
}

/** Harmless to repeat: what was stored although its reply was lost has the run's id. */
async function onceMore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof DatabaseUnavailableError)) throw thrown;
    return work();
  }
}
