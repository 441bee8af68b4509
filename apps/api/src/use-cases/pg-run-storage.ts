import type { ObjectStore } from '#libs/engine';
import { ulidTimeMs, type Clock, type RunId, type TenantId } from '#libs/kernel';
import { unreadableRuns, type Database, type RunViews, type StoredRuns } from '#libs/persistence';
import type { Caller } from '../auth/caller.js';
import type { RunControl } from '../runs/run-use-cases.js';
import type { DiskUsageResponse, DiskUsageRunRow } from '../system/dto/disk-usage.js';
import type { PruneRunEntry, PruneRunsRequest, PruneRunsResponse } from '../system/dto/prune.js';
import type { SystemRepairRunsResponse } from '../system/dto/repair.js';
import { ageMs, DEFAULT_AGE } from '../system/prune-rules.js';
import { RunStorage } from '../system/run-storage.js';
import { measureOutputs, outputsFolder, type RunOutputs } from './run-outputs.js';

interface Parts {
  database: Database;
  runs: StoredRuns;
  views: RunViews;
  objects: ObjectStore;
  control: RunControl;
  clock: Clock;
}

const REMOVED_AT_ONCE = 100;

export class PgRunStorage extends RunStorage {
  constructor(private readonly parts: Parts) {
    super();
  }

  async usage({ tenantId }: Caller, { verbose }: { verbose: boolean }): Promise<DiskUsageResponse> {
    const { runs, objects } = this.parts;
    const outputs = await measureOutputs(objects, tenantId);
    const size = await runs.measure(tenantId);
    const isOver = await runs.areOver(tenantId, [...outputs.keys()]);
    const logs = totalOf(outputs.values());
    const removable = totalOf([...outputs].filter(([id]) => isOver.get(id) !== false).map(([, found]) => found));
    return {
      summary: [
        {
          type: 'runs',
          count: size.total,
          active: size.active,
          size_bytes: size.bytes,
          reclaimable_bytes: size.bytesOver,
        },
        {
          type: 'logs',
          count: logs.objects,
          active: null,
          size_bytes: logs.bytes,
          reclaimable_bytes: removable.bytes,
        },
        {
          type: 'other',
          count: size.definitions,
          active: null,
          size_bytes: size.definitionBytes,
          reclaimable_bytes: null,
        },
      ],
      total_size_bytes: size.bytes + logs.bytes + size.definitionBytes,
      total_reclaimable_bytes: size.bytesOver + removable.bytes,
      runs: verbose ? await this.rows(tenantId, outputs) : null,
    };
  }

  async unreadable({ tenantId }: Caller): Promise<SystemRepairRunsResponse> {
    const found = await unreadableRuns(this.parts, tenantId);
    const runs = found.map(({ runId, createdAt, error }) => ({
      run_id: runId,
      created_at: createdAt.toISOString(),
      error,
    }));
    return { runs, total_count: runs.length };
  }

  async prune(caller: Caller, request: PruneRunsRequest): Promise<PruneRunsResponse> {
    const { dry_run, orphans } = request;
    const meant = orphans ? await this.orphans(caller, request) : await this.finished(caller, request);
    const removed = dry_run ? [] : await this.remove(caller, meant, orphans);
    return {
      dry_run,
      runs: dry_run ? meant : null,
      total_count: meant.length,
      total_size_bytes: sizeOf(meant),
      deleted_count: removed.length,
      freed_bytes: sizeOf(removed),
    };
  }

  private async rows(tenantId: TenantId, outputs: ReadonlyMap<RunId, RunOutputs>): Promise<DiskUsageRunRow[]> {
    const stored = await this.parts.runs.list(tenantId);
    return stored.map(({ runId, workflow, status, isOver, createdAt, bytes }) => ({
      run_id: runId,
      workflow_name: workflow,
      status,
      start_time: createdAt.toISOString(),
      size_bytes: bytes + (outputs.get(runId)?.bytes ?? 0),
      reclaimable: isOver,
    }));
  }

  private async finished({ tenantId }: Caller, request: PruneRunsRequest): Promise<PruneRunEntry[]> {
    const { before, workflow, labels } = request;
    const restedForMs = leastAgeMs(request);
    const stored = await this.parts.runs.list(tenantId, {
      onlyOver: true,
      ...(before !== undefined && { createdBefore: before }),
      ...(workflow !== undefined && { workflow }),
      ...(labels !== undefined && { labels }),
      ...(restedForMs !== undefined && { restedForMs }),
    });
    const outputs = await measureOutputs(this.parts.objects, tenantId);
    return stored.map(({ runId, workflow: workflow_name, bytes }) => ({
      run_id: runId,
      dir_name: outputsFolder({ tenantId, runId }),
      workflow_name,
      size_bytes: bytes + (outputs.get(runId)?.bytes ?? 0),
    }));
  }

  /** Outputs of runs that are gone. Nobody knows their workflow or labels any more, and their id tells their age. */
  private async orphans({ tenantId }: Caller, request: PruneRunsRequest): Promise<PruneRunEntry[]> {
    const { before = '9', workflow, labels } = request;
    if (workflow !== undefined || labels !== undefined) return [];
    const { runs, objects, clock } = this.parts;
    const latestMs = clock.now() - (leastAgeMs(request) ?? 0);
    const outputs = await measureOutputs(objects, tenantId);
    const standing = await runs.areOver(tenantId, [...outputs.keys()]);
    return [...outputs]
      .filter(([id]) => !standing.has(id) && ulidTimeMs(id) <= latestMs && dateOf(id) < before)
      .map(([runId, { bytes }]) => ({
        run_id: runId,
        dir_name: outputsFolder({ tenantId, runId }),
        workflow_name: '',
        size_bytes: bytes,
      }));
  }

  private async remove(caller: Caller, meant: readonly PruneRunEntry[], orphans: boolean): Promise<PruneRunEntry[]> {
    const removed: PruneRunEntry[] = [];
    for (let from = 0; from < meant.length; from += REMOVED_AT_ONCE) {
      const some = meant.slice(from, from + REMOVED_AT_ONCE);
      if (orphans) for (const { dir_name } of some) await this.parts.objects.deleteAll(dir_name);
      const ids = some.map(({ run_id }) => run_id as RunId);
      const results = orphans ? [] : await this.parts.control.removeAll(caller, ids, { force: false });
      removed.push(...some.filter((_, i) => !(results[i] instanceof Error)));
    }
    return removed;
  }
}

/** For how long a run has to be over. */
function leastAgeMs({ older_than, before, workflow, labels }: PruneRunsRequest): number | undefined {
  if (older_than !== undefined) return ageMs(older_than);
  const isNarrow = before !== undefined || workflow !== undefined || labels !== undefined;
  return isNarrow ? undefined : ageMs(DEFAULT_AGE);
}

function totalOf(outputs: Iterable<RunOutputs>): RunOutputs {
  const total = { objects: 0, bytes: 0 };
  for (const { objects, bytes } of outputs) {
    total.objects += objects;
    total.bytes += bytes;
  }
  return total;
}

function sizeOf(entries: readonly PruneRunEntry[]): number {
  return entries.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
}

/** To the second, as the dates of other runs are compared. */
function dateOf(id: string): string {
  return `${new Date(ulidTimeMs(id)).toISOString().slice(0, 19)}Z`;
}
