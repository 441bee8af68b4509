import type { ObjectStore, RunKey } from '#libs/engine';
import { IllegalTransitionError, isTerminal, stamp, type Principal, type RunStatusKind } from '#libs/events';
import { RunyardError, type Clock, type RunId } from '#libs/kernel';
import { RunArchivedError, RunNotFoundError, type RunLedger } from '#libs/persistence';
import type { Caller } from '../auth/caller.js';
import type { Removal } from '../runs/run-use-cases.js';

/** The run cannot be deleted as it is now. */
class RunActiveError extends RunyardError {
  readonly kind = 'conflict';
}

const END_WITHIN_MS = 12_000;
const LOOK_EVERY_MS = 100;

/**
 * Removes runs, each as if it were the only one. Those that are active are ended first, all at the same time. A run whose
 * removal got stuck stays `removing`; to remove it again goes on with that.
 */
export class RunRemoval {
  constructor(
    private readonly ledger: RunLedger,
    private readonly objects: ObjectStore,
    private readonly requestCancel: (run: RunKey, actor: Principal) => Promise<void>,
    private readonly clock: Clock,
  ) {}

  async remove(caller: Caller, runIds: readonly RunId[], { force }: { force: boolean }): Promise<Removal[]> {
    const runs = runIds.map((runId) => ({ tenantId: caller.tenantId, runId }));
    const statuses = await this.statuses(runs);
    const active = runs.filter((run) => isActive(statuses.get(run.runId)));
    const refused = force
      ? await this.end(active, caller.principal)
      : new Map(active.map(({ runId }) => [runId, activeError(runId, statuses.get(runId)!)]));
    const removals: Removal[] = [];
    for (const run of runs) {
      if (!statuses.has(run.runId)) removals.push('already_absent');
      else removals.push(refused.get(run.runId) ?? (await this.removeEnded(run, caller.principal)));
    }
    return removals;
  }

  /** Cancels runs and waits until they have ended; returns those that do not in time, with what to say of them. */
  private async end(runs: readonly RunKey[], actor: Principal): Promise<Map<RunId, Error>> {
    for (const run of runs) await this.cancel(run, actor);
    let active = runs;
    for (const deadline = performance.now() + END_WITHIN_MS; active.length > 0 && performance.now() < deadline;) {
      const statuses = await this.statuses(active);
      active = active.filter(({ runId }) => isActive(statuses.get(runId)));
      if (active.length > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return new Map(active.map(({ runId }) => [runId, stillActiveError(runId)]));
  }

  /** A run that ended meanwhile, or is gone, needs none. */
  private async cancel(run: RunKey, actor: Principal): Promise<void> {
    try {
      await this.requestCancel(run, actor);
    } catch (thrown) {
      const isOver = thrown instanceof IllegalTransitionError || thrown instanceof RunArchivedError;
      if (!isOver && !(thrown instanceof RunNotFoundError)) throw thrown;
    }
  }

  /** What the log says goes last: until then the run can be found and removed again. */
  private async removeEnded(run: RunKey, actor: Principal): Promise<Removal> {
    try {
      await this.mark(run, actor);
      await this.objects.deleteAll(`${run.tenantId}/runs/${run.runId}/`);
      await this.ledger.remove(run);
      return 'deleted';
    } catch (thrown) {
      return thrown as Error;
    }
  }

  /** Says that the run is being removed, once. Throws when somebody made it go on meanwhile. */
  private async mark(run: RunKey, actor: Principal): Promise<void> {
    const removing = stamp({ event: 'run.removing', actor, properties: {} }, this.clock.now());
    const [refused] = await this.ledger.note([run], (head) => {
      const isMarked = !head || head.status === 'removing';
      const result = head && isActive(head.status) ? activeError(run.runId, head.status) : undefined;
      return { events: isMarked || result ? [] : [removing], result };
    });
    if (refused) throw refused;
  }

  private async statuses(runs: readonly RunKey[]): Promise<Map<RunId, RunStatusKind>> {
    return new Map((await this.ledger.heads(runs)).map(({ runId, status }) => [runId, status]));
  }
}

function isActive(status: RunStatusKind | undefined): boolean {
  return status !== undefined && status !== 'removing' && !isTerminal(status);
}

function activeError(runId: RunId, status: RunStatusKind): Error {
  return new RunActiveError(`Run ${runId} is ${status}. Cancel it first, or delete it with force=true.`);
}

function stillActiveError(runId: RunId): Error {
  return new RunActiveError(`Run ${runId} is being cancelled and has not ended yet. Delete it again in a few seconds.`);
}
