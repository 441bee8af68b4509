import type { ObjectStore } from '#libs/engine';
import { monotonicMs, ulidTimeMs, type Clock, type RunId, type TenantId } from '#libs/kernel';
import {
  unreadableRuns,
  type Database,
  type RunViews,
  type StoredRunPage,
  type StoredRunRow,
  type StoredRuns,
} from '#libs/persistence';
import type { Caller } from '../../edge/auth/caller.js';
import type { RunControl } from '../runs/run-use-cases.js';
import type { DiskUsageResponse, DiskUsageRunRow } from './dto/disk-usage.js';
import type { PruneRunEntry, PruneRunsRequest, PruneRunsResponse } from './dto/prune.js';
import type { SystemRepairQuery, SystemRepairRunsResponse } from './dto/repair.js';
import { ageMs, DEFAULT_AGE } from './prune-rules.js';
import { RunStorage } from './run-storage.js';
import { measureOutputs, measureOutputsOf, outputsFolder, type RunOutputs } from '../runs/run-outputs.js';

interface Parts {
  database: Database;
  runs: StoredRuns;
  views: RunViews;
  objects: ObjectStore;
  control: RunControl;
  clock: Clock;
}

const REMOVED_AT_ONCE = 100;
/** What one request lists or removes, and how long it looks for them about; the next one goes on. */
const MOST_RUNS = 1_000;
const LOOKS_FOR_MS = 8_000;

/** Runs that are meant. */
interface Meant {
  runs: PruneRunEntry[];
  hasMore: boolean;
  /** Up to where it was looked; null where only to do it again goes on. */
  next: RunId | null;
}

export class PgRunStorage extends RunStorage {
  constructor(private readonly parts: Parts) {
    super();
  }

  async usage({ tenantId }: Caller, { verbose }: { verbose: boolean }): Promise<DiskUsageResponse> {
    const { logs, removable } = await this.outputs(tenantId);
    const size = await this.parts.runs.measure(tenantId);
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
      runs: verbose ? await this.rows(tenantId) : null,
    };
  }

  async unreadable({ tenantId }: Caller, { after }: SystemRepairQuery): Promise<SystemRepairRunsResponse> {
    const runs: SystemRepairRunsResponse['runs'] = [];
    const endsMs = monotonicMs() + LOOKS_FOR_MS;
    for await (const { unreadable, last } of unreadableRuns(this.parts, tenantId, after)) {
      for (const { runId, createdAt, error } of unreadable) {
        runs.push({ run_id: runId, created_at: createdAt.toISOString(), error });
      }
      if (runs.length >= MOST_RUNS || monotonicMs() > endsMs) return { runs, total_count: runs.length, next: last };
    }
    return { runs, total_count: runs.length };
  }

  async prune(caller: Caller, request: PruneRunsRequest): Promise<PruneRunsResponse> {
    const { dry_run, orphans } = request;
    const { runs, hasMore, next } = orphans
      ? await this.orphans(caller, request)
      : await this.finished(caller, request);
    const removed = dry_run ? [] : await this.remove(caller, runs, orphans);
    return {
      dry_run,
      runs: dry_run ? runs : null,
      total_count: runs.length,
      total_size_bytes: sizeOf(runs),
      deleted_count: removed.length,
      freed_bytes: sizeOf(removed),
      ...(hasMore && { has_more: true }),
      ...(next !== null && { next }),
    };
  }

  /** What the object store keeps, and what of that belongs to runs that are over or gone. */
  private async outputs(tenantId: TenantId): Promise<Record<'logs' | 'removable', RunOutputs>> {
    const sums = { logs: { objects: 0, bytes: 0 }, removable: { objects: 0, bytes: 0 } };
    for await (const outputs of measureOutputs(this.parts.objects, tenantId)) {
      const isOver = await this.parts.runs.areOver(tenantId, [...outputs.keys()]);
      for (const [id, found] of outputs) {
        add(sums.logs, found);
        if (isOver.get(id) !== false) add(sums.removable, found);
      }
    }
    return sums;
  }

  /** Those with the largest logs in the database; only so many are held at any time. */
  private async rows(tenantId: TenantId): Promise<DiskUsageRunRow[]> {
    let largest: StoredRunRow[] = [];
    for await (const { runs } of this.parts.runs.list(tenantId)) {
      largest = [...largest, ...runs].sort((a, b) => b.bytes - a.bytes).slice(0, MOST_RUNS);
    }
    largest.sort((a, b) => (a.runId < b.runId ? -1 : 1));
    const sizes = await this.outputsOf(tenantId, largest);
    return largest.map(({ runId, workflow, status, isOver, createdAt, bytes }, i) => ({
      run_id: runId,
      workflow_name: workflow,
      status,
      start_time: createdAt.toISOString(),
      size_bytes: bytes + sizes[i]!,
      reclaimable: isOver,
    }));
  }

  private async finished({ tenantId }: Caller, request: PruneRunsRequest): Promise<Meant> {
    const { before, workflow, labels, after } = request;
    const restedForMs = leastAgeMs(request);
    const pages = this.parts.runs.list(
      tenantId,
      {
        onlyOver: true,
        ...(before !== undefined && { createdBefore: before }),
        ...(workflow !== undefined && { workflow }),
        ...(labels !== undefined && { labels }),
        ...(restedForMs !== undefined && { restedForMs }),
      },
      after,
    );
    const { stored, next } = await firstOf(pages);
    const sizes = await this.outputsOf(tenantId, stored);
    const runs = stored.map(({ runId, workflow: workflow_name, bytes }, i) => ({
      run_id: runId,
      dir_name: outputsFolder({ tenantId, runId }),
      workflow_name,
      size_bytes: bytes + sizes[i]!,
    }));
    return { runs, hasMore: next !== null, next };
  }

  private outputsOf(tenantId: TenantId, runs: readonly { runId: RunId }[]): Promise<number[]> {
    return measureOutputsOf(
      this.parts.objects,
      runs.map(({ runId }) => ({ tenantId, runId })),
    );
  }

  /** Outputs of runs that are gone. Nobody knows their workflow or labels any more, and their id tells their age. */
  private async orphans({ tenantId }: Caller, request: PruneRunsRequest): Promise<Meant> {
    const { before = '9', workflow, labels } = request;
    const found = new Map<RunId, PruneRunEntry>();
    if (workflow !== undefined || labels !== undefined) return { runs: [], hasMore: false, next: null };
    const { runs, objects, clock } = this.parts;
    const latestMs = clock.now() - (leastAgeMs(request) ?? 0);
    for await (const outputs of measureOutputs(objects, tenantId)) {
      const standing = await runs.areOver(tenantId, [...outputs.keys()]);
      for (const [runId, { bytes }] of outputs) {
        if (standing.has(runId) || ulidTimeMs(runId) > latestMs || dateOf(runId) >= before) continue;
        const size_bytes = (found.get(runId)?.size_bytes ?? 0) + bytes;
        found.set(runId, {
          run_id: runId,
          dir_name: outputsFolder({ tenantId, runId }),
          workflow_name: '',
          size_bytes,
        });
      }
      if (found.size >= MOST_RUNS) return { runs: [...found.values()], hasMore: true, next: null };
    }
    return { runs: [...found.values()], hasMore: false, next: null };
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

/** So many runs as one request is about, and where the next one begins; null when there are no more. */
async function firstOf(pages: AsyncIterable<StoredRunPage>): Promise<{ stored: StoredRunRow[]; next: RunId | null }> {
  const endsMs = monotonicMs() + LOOKS_FOR_MS;
  const stored: StoredRunRow[] = [];
  for await (const { runs, last } of pages) {
    stored.push(...runs);
    const surplus = stored.splice(MOST_RUNS);
    if (surplus.length > 0) return { stored, next: stored.at(-1)!.runId };
    if (monotonicMs() > endsMs) return { stored, next: last };
  }
  return { stored, next: null };
}

/** For how long a run has to be over. */
function leastAgeMs({ older_than, before, workflow, labels }: PruneRunsRequest): number | undefined {
  if (older_than !== undefined) return ageMs(older_than);
  const isNarrow = before !== undefined || workflow !== undefined || labels !== undefined;
  return isNarrow ? undefined : ageMs(DEFAULT_AGE);
}

function add(sum: RunOutputs, { objects, bytes }: RunOutputs): void {
  sum.objects += objects;
  sum.bytes += bytes;
}

function sizeOf(entries: readonly PruneRunEntry[]): number {
  return entries.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
}

/** To the second, as the dates of other runs are compared. */
function dateOf(id: string): string {
  return `${new Date(ulidTimeMs(id)).toISOString().slice(0, 19)}Z`;
}
