import type { RunKey } from '#libs/engine';
import type { Principal, RunView } from '#libs/events';
import { RunyardError, type Clock, type RunId, type TenantId } from '#libs/kernel';
import { Batcher } from '../batcher.js';
import type { Database, Statement } from '../database.js';
import { DatabaseUnavailableError, LogIsColdError } from '../errors.js';
import type { ColdLogs } from '../retention/cold-logs.js';
import { returnLog } from '../retention/return-log.js';
import { announce } from '../store/announce.js';
import type { CommitSignals } from '../store/commit-signals.js';
import { StoredDefinitions } from '../store/definitions.js';
import { bodiesOf } from '../store/event-rows.js';
import { keyOf } from '../store/locked-heads.js';
import { LOCK_SLOTS, promote } from '../store/promote.js';
import { changeRun, type DecideChange } from './change-run.js';
import { insertRuns, prepareRun, type NewRun, type PreparedRun } from './create-runs.js';
import { linkParent, type LinkRequest } from './link-parent.js';
import { noteRuns, type DecideNote } from './note-runs.js';
import { RecentEvents } from './recent-events.js';
import { retryRun } from './retry-run.js';
import { RunRecords } from './run-records.js';
import { startRuns, type StartRequest } from './start-runs.js';
import { Turns } from './turns.js';

/** The id or the idempotency key belongs to another manifest. */
export class RunIdTakenError extends RunyardError {
  override readonly code = 'run_id_taken';
  readonly kind = 'conflict';
}

const removeRun: Statement = { name: 'remove-run', text: 'SELECT remove_run($1, $2)' };

/**
 * The run API's side of the log: beside what is read of it, what people ask for, each in one transaction with its events.
 * Creations and starts that arrive together share a commit. Every method is confined to the tenant it is given.
 */
export class RunLedger extends RunRecords {
  private readonly creations: Batcher<PreparedRun, boolean>;
  private readonly starts: Batcher<StartRequest, RunyardError | undefined>;
  private readonly promotions: Batcher<void, void>;
  private readonly known = new StoredDefinitions();
  private readonly turns = new Turns();

  constructor(
    database: Database,
    private readonly signals: CommitSignals,
    private readonly clock: Clock,
    private readonly cold: ColdLogs,
    recent = new RecentEvents(),
  ) {
    super(database, cold, recent);
    this.creations = new Batcher((runs) => this.insert(runs), { maxItems: 128, concurrency: 2 });
    this.starts = new Batcher((requests) => this.startAll(requests), { maxItems: 128, concurrency: 1 });
    this.promotions = new Batcher((asked) => this.promote(asked), { maxItems: 128, concurrency: 1 });
  }

  /**
   * Stores a run. When its id or its idempotency key is taken: the stored run if it has the same manifest, else a
   * {@link RunIdTakenError}. Safe to repeat. The view is that of a run that was stored just now.
   */
  async create(run: NewRun): Promise<{ run: RunKey; view: RunView | null }> {
    const prepared = prepareRun(run);
    if (await this.addAgain(prepared)) {
      const { tenantId, runId, events } = run;
      const begun = { tenantId, runId, toSeq: events.length, bodies: bodiesOf(prepared.append) };
      this.recent.add(begun);
      this.signals.created(begun);
      return { run, view: prepared.view };
    }
    const stored = await this.find(run, run.idempotencyKey);
    if (stored?.manifestSha256 === run.manifest.sha256) return { run: stored, view: null };
    const what = run.idempotencyKey === null ? `Run id ${run.runId}` : `Idempotency key "${run.idempotencyKey}"`;
    throw new RunIdTakenError(`${what} belongs to a run with another manifest; use a fresh one.`);
  }

  /** Makes a submitted run runnable and gives it a slot if one is free. Rejects with a `conflict` from any other status. */
  async start(request: StartRequest): Promise<void> {
    const refused = await this.starts.add(request);
    if (refused) throw refused;
  }

  /**
   * Changes a run: `decide` sees the head, and may load the engine's state of the same moment. What it says is stored
   * only if both still stand then, so it may be asked more than once and must have no other effect. When it throws,
   * nothing is stored. Changes of one run take turns. An archived run is not changed: {@link RunArchivedError}. A log that
   * lies in the object store comes back when the state is asked for, since whoever asks means to go on with the run.
   */
  async change(run: RunKey, decide: DecideChange): Promise<void> {
    await this.turns.take(keyOf(run), async () => {
      try {
        await this.changeHot(run, decide);
      } catch (thrown) {
        if (!(thrown instanceof LogIsColdError)) throw thrown;
        await returnLog(this.database, this.cold, run);
        await this.changeHot(run, decide);
      }
    });
  }

  /**
   * Appends what people note about runs, each named once, in one commit for all: whatever their status, and to archived
   * ones, too. `decide` sees each head as nobody else can change it meanwhile; it may run more than once and must have no
   * other effect. Returns its results in the order of the runs.
   */
  async note<T>(runs: readonly RunKey[], decide: DecideNote<T>): Promise<T[]> {
    const { results, grown } = await this.database.transaction((tx) => noteRuns(tx, runs, decide));
    announce(this.signals, grown, []);
    return results;
  }

  /**
   * Gives a run another parent, or none; harmless to repeat. Throws {@link RunNotFoundError} for either of them, and
   * {@link ParentCycleError} when the parent is the run itself or descends from it, whatever is linked at the same moment.
   */
  async link(request: LinkRequest): Promise<void> {
    const now = this.clock.now();
    announce(this.signals, await this.database.transaction((tx) => linkParent(tx, request, now)), []);
  }

  /**
   * Stores a run under a fresh id and starts it, in one commit, if the run that it tries again is over and not archived;
   * rejects with a `conflict` otherwise.
   */
  async retry(source: RunKey, run: NewRun, actor: Principal): Promise<void> {
    const prepared = prepareRun(run);
    const { grown, promoted } = await this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const grown = await retryRun(tx, { source, prepared, actor }, this.known, now);
      return { grown, promoted: await promote(tx, now, 1) };
    }, LOCK_SLOTS);
    announce(this.signals, grown, promoted);
  }

  /** Removes a run and everything the database holds of it. Harmless when it is gone. */
  async remove({ tenantId, runId }: { tenantId: TenantId; runId: RunId }): Promise<void> {
    await this.database.queryAgain(removeRun, [tenantId, runId]);
    this.recent.remove({ tenantId, runId });
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

  /** Harmless to repeat: a run that was stored although its reply was lost is found under its id. */
  private async addAgain(prepared: PreparedRun): Promise<boolean> {
    try {
      return await this.creations.add(prepared);
    } catch (thrown) {
      if (!(thrown instanceof DatabaseUnavailableError)) throw thrown;
      return this.creations.add(prepared);
    }
  }

  private insert(runs: readonly PreparedRun[]): Promise<readonly boolean[]> {
    return insertBatch(this.database, runs, this.known);
  }

  private async startAll(requests: readonly StartRequest[]): Promise<(RunyardError | undefined)[]> {
    const { results, grown, promoted } = await startRuns(this.database, requests, this.clock.now());
    announce(this.signals, grown, promoted);
    return results;
  }
}

/** A batch may name the same id or key twice; only its first bearer can be stored by it. */
async function insertBatch(
  database: Database,
  runs: readonly PreparedRun[],
  known: StoredDefinitions,
): Promise<boolean[]> {
  const seen = new Set<string>();
  const firsts = runs.filter(({ run: { tenantId, runId, idempotencyKey } }) => {
    const id = `id ${tenantId} ${runId}`;
    const key = `key ${tenantId} ${idempotencyKey ?? ''}`;
    if (seen.has(id) || (idempotencyKey !== null && seen.has(key))) return false;
    seen.add(id).add(key);
    return true;
  });
  const stored = await insertRuns(database, firsts, known);
  const created = new Set(firsts.filter((_, i) => stored[i]));
  return runs.map((run) => created.has(run));
}
