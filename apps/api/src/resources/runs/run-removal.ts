import type { ObjectStore, RunKey } from '#libs/engine';
import type { Principal } from '#libs/events';
import { RunyardError, type RunId } from '#libs/kernel';
import type { RunLedger } from '#libs/persistence';
import { IllegalTransitionError, isOver, RunActiveError, RunArchivedError, RunNotFoundError } from '#libs/runs';
import type { Caller } from '../../edge/auth/caller.js';
import type { Removal } from './run-use-cases.js';

/** It was cancelled, and its worker has not come to the end of it. */
class StillActiveError extends RunyardError {
  readonly kind = 'conflict';

  constructor(runId: string) {
    super(`Run ${runId} is being cancelled and has not ended yet. Delete it again in a few seconds.`);
  }
}

type Head = Awaited<ReturnType<RunLedger['heads']>>[number];

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
  ) {}

  async remove(caller: Caller, runIds: readonly RunId[], { force }: { force: boolean }): Promise<Removal[]> {
    const runs = runIds.map((runId) => ({ tenantId: caller.tenantId, runId }));
    const heads = await this.heads(runs);
    const active = runs.filter((run) => isActive(heads.get(run.runId)));
    const refused = force
      ? await this.end(active, caller.principal)
      : new Map(active.map(({ runId }) => [runId, new RunActiveError(runId, heads.get(runId)!.status)]));
    const removals: Removal[] = [];
    for (const { runId } of runs) {
      const head = heads.get(runId);
      if (!head) removals.push('already_absent');
      else removals.push(refused.get(runId) ?? (await this.removeEnded(head, caller.principal)));
    }
    return removals;
  }

  /** Cancels runs and waits until they have ended; returns those that do not in time, with what to say of them. */
  private async end(runs: readonly RunKey[], actor: Principal): Promise<Map<RunId, Error>> {
    for (const run of runs) await this.cancel(run, actor);
    let active = runs;
    for (const deadline = performance.now() + END_WITHIN_MS; active.length > 0 && performance.now() < deadline;) {
      const heads = await this.heads(active);
      active = active.filter(({ runId }) => isActive(heads.get(runId)));
      if (active.length > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return new Map(active.map(({ runId }) => [runId, new StillActiveError(runId)]));
  }

  /** A run that ended meanwhile, or is gone, needs none. */
  private async cancel(run: RunKey, actor: Principal): Promise<void> {
    try {
      await this.ledger.change(run, { kind: 'cancel', actor });
    } catch (thrown) {
      const isOver = thrown instanceof IllegalTransitionError || thrown instanceof RunArchivedError;
      if (!isOver && !(thrown instanceof RunNotFoundError)) throw thrown;
    }
  }

  /**
   * What the log says goes last: until then the run can be found and removed again. Its children outlive it; they lose
   * it before anything that takes long, in which somebody else may give its id to another run.
   */
  private async removeEnded(run: Head, actor: Principal): Promise<Removal> {
    try {
      if (!(await this.mark(run, actor))) return 'deleted';
      await this.ledger.unlinkChildren(run, actor);
      await this.objects.deleteAll(`${run.tenantId}/runs/${run.runId}/`);
      await this.ledger.remove(run);
      return 'deleted';
    } catch (thrown) {
      return thrown as Error;
    }
  }

  /**
   * Says that the run is being removed, once. False when somebody else has removed it, even if another run has its id
   * now. Throws when somebody made it go on meanwhile.
   */
  private async mark(run: Head, actor: Principal): Promise<boolean> {
    const [marked] = await this.ledger.changeAll([run], { kind: 'remove', actor });
    if (marked instanceof RunNotFoundError) return false;
    if (marked instanceof Error) throw marked;
    return true;
  }

  private async heads(runs: readonly RunKey[]): Promise<Map<RunId, Head>> {
    return new Map((await this.ledger.heads(runs)).map((head) => [head.runId, head]));
  }
}

function isActive(head: Head | undefined): boolean {
  return head !== undefined && !isOver(head.status);
}
