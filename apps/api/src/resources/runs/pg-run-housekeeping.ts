import { RunyardError, type Clock, type RunId, type TenantId } from '#libs/kernel';
import type { RunLedger, RunReader } from '#libs/persistence';
import { RunNotFoundError } from '#libs/runs';
import type { Caller } from '../../edge/auth/caller.js';
import type { RunResponse } from './dto/run-response.js';
import { RunHousekeeping, type ArchiveResult } from './run-housekeeping.js';
import { runResponse } from './run-response.js';

/** What the caller is told: that the mark was set so just now, or that it stood so already. */
const TOLD = {
  archive: { done: 'archived', already: 'already_archived' },
  unarchive: { done: 'unarchived', already: 'not_archived' },
} as const;

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
    await this.ledger.change(run, { kind: 'rename', actor, title, presentTitle: view.title });
    return this.read(tenantId, runId);
  }

  async archive(caller: Caller, runId: RunId): Promise<RunResponse> {
    return only(await this.mark(caller, [runId], 'archive'));
  }

  async unarchive(caller: Caller, runId: RunId): Promise<RunResponse> {
    return only(await this.mark(caller, [runId], 'unarchive'));
  }

  archiveAll(caller: Caller, runIds: readonly RunId[]): Promise<ArchiveResult[]> {
    return this.mark(caller, runIds, 'archive');
  }

  unarchiveAll(caller: Caller, runIds: readonly RunId[]): Promise<ArchiveResult[]> {
    return this.mark(caller, runIds, 'unarchive');
  }

  async link({ tenantId, principal: actor }: Caller, runId: RunId, parentId: RunId | null): Promise<RunResponse> {
    await this.ledger.link({ tenantId, runId, parentId, actor });
    return this.read(tenantId, runId);
  }

  /** One commit for all, and one look at them afterwards. */
  private async mark(
    { tenantId, principal: actor }: Caller,
    runIds: readonly RunId[],
    kind: 'archive' | 'unarchive',
  ): Promise<ArchiveResult[]> {
    const runs = runIds.map((runId) => ({ tenantId, runId }));
    const noted = await this.ledger.changeAll(runs, { kind, actor });
    const shown = new Map((await this.reader.getAll(runs)).map((run) => [run.view.id, run]));
    const now = this.clock.now();
    return runIds.map((runId, i) => {
      const changed = noted[i]!;
      const run = shown.get(runId);
      if (changed instanceof RunyardError) return { error: changed };
      const outcome = TOLD[kind][changed ? 'done' : 'already'];
      return run ? { outcome, run: runResponse(run, now) } : { error: new RunNotFoundError(runId) };
    });
  }

  private async read(tenantId: TenantId, runId: RunId): Promise<RunResponse> {
    return runResponse(await this.reader.get({ tenantId, runId }), this.clock.now());
  }
}

function only([result]: readonly ArchiveResult[]): RunResponse {
  if ('error' in result!) throw result.error;
  return result!.run;
}
