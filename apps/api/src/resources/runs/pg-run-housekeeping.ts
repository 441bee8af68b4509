import { IllegalTransitionError, isTerminal, stamp, type Principal, type RunEvent } from '#libs/events';
import { RunyardError, type Clock, type RunId, type TenantId } from '#libs/kernel';
import { RunNotFoundError, type LockedHead, type RunLedger, type RunReader } from '#libs/persistence';
import type { Caller } from '../../edge/auth/caller.js';
import type { RunResponse } from './dto/run-response.js';
import { RunHousekeeping, type ArchiveOutcome, type ArchiveResult } from './run-housekeeping.js';
import { runResponse } from './run-response.js';

/** The two directions of the mark: the event that sets it so, and what the caller is told. */
const ARCHIVE = { event: 'run.archived', done: 'archived', already: 'already_archived', archives: true } as const;
const UNARCHIVE = { event: 'run.unarchived', done: 'unarchived', already: 'not_archived', archives: false } as const;
type Marking = typeof ARCHIVE | typeof UNARCHIVE;

export class PgRunHousekeeping extends RunHousekeeping {
  constructor(
    private readonly ledger: RunLedger,
    private readonly reader: RunReader,
    private readonly clock: Clock,
  ) {
    super();
  }

  async rename({ tenantId, principal: actor }: Caller, runId: RunId, title: string): Promise<RunResponse> {
    const run = { tenantId, runId };
    const { view } = await this.reader.get(run);
    if (view.title !== title) {
      await this.ledger.note([run], (head) => {
        if (!head) throw new RunNotFoundError(runId);
        return { events: [this.stamped({ event: 'run.title.updated', actor, properties: { title } })], result: title };
      });
    }
    return this.read(tenantId, runId);
  }

  async archive(caller: Caller, runId: RunId): Promise<RunResponse> {
    return only(await this.mark(caller, [runId], ARCHIVE));
  }

  async unarchive(caller: Caller, runId: RunId): Promise<RunResponse> {
    return only(await this.mark(caller, [runId], UNARCHIVE));
  }

  archiveAll(caller: Caller, runIds: readonly RunId[]): Promise<ArchiveResult[]> {
    return this.mark(caller, runIds, ARCHIVE);
  }

  unarchiveAll(caller: Caller, runIds: readonly RunId[]): Promise<ArchiveResult[]> {
    return this.mark(caller, runIds, UNARCHIVE);
  }

  async link({ tenantId, principal: actor }: Caller, runId: RunId, parentId: RunId | null): Promise<RunResponse> {
    await this.ledger.link({ tenantId, runId, parentId, actor });
    return this.read(tenantId, runId);
  }

  /** One commit for all, and one look at them afterwards. */
  private async mark(
    { tenantId, principal }: Caller,
    runIds: readonly RunId[],
    marking: Marking,
  ): Promise<ArchiveResult[]> {
    const runs = runIds.map((runId) => ({ tenantId, runId }));
    const results = await this.ledger.note(runs, (head, { runId }) => {
      const result = outcomeFor(head, runId, marking);
      const changes = result === marking.done;
      return { events: changes ? [this.marked(marking, principal)] : [], result };
    });
    const shown = new Map((await this.reader.getAll(runs)).map((run) => [run.view.id, run]));
    const now = this.clock.now();
    return runIds.map((runId, i) => {
      const result = results[i]!;
      const run = shown.get(runId);
      if (result instanceof RunyardError) return { error: result };
      return run ? { outcome: result, run: runResponse(run, now) } : { error: new RunNotFoundError(runId) };
    });
  }

  private marked({ event }: Marking, actor: Principal) {
    return this.stamped({ event, actor, properties: {} });
  }

  private stamped(event: RunEvent) {
    return stamp(event, this.clock.now());
  }

  private async read(tenantId: TenantId, runId: RunId): Promise<RunResponse> {
    return runResponse(await this.reader.get({ tenantId, runId }), this.clock.now());
  }
}

/** What a marking does to a run, or why it may not. */
function outcomeFor(
  head: LockedHead | undefined,
  runId: RunId,
  { done, already, archives }: Marking,
): ArchiveOutcome | RunyardError {
  if (!head) return new RunNotFoundError(runId);
  if (!isTerminal(head.status)) return new IllegalTransitionError(runId, head.status, done);
  return head.isArchived === archives ? already : done;
}

function only([result]: readonly ArchiveResult[]): RunResponse {
  if ('error' in result!) throw result.error;
  return result!.run;
}
