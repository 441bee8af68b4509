import os from 'node:os';
import { packageVersion } from '#libs/config';
import type { Clock, TenantId } from '#libs/kernel';
import type { StoredRuns, SystemFigures } from '#libs/persistence';
import type { Upkeep } from '#libs/scheduling';
import { remembered, type Observability } from '#libs/server-runtime';
import type { Caller } from '../../edge/auth/caller.js';
import type { SystemCheckResponse } from './dto/check.js';
import type { DiskUsageResponse } from './dto/disk-usage.js';
import type { SystemInfoResponse } from './dto/system-info.js';
import type { SystemResourcesResponse, SystemSchedulerResources } from './dto/system-resources.js';
import { CpuMeter } from './host/cpu.js';
import { fileSystemResources } from './host/file-system.js';
import { memoryResources } from './host/memory.js';
import type { RunStorage } from './run-storage.js';
import { SystemReport } from './system-report.js';
import { verdictOf } from './verdict.js';

/** What the process was started with. */
export interface Installation {
  serverUrl: string;
  storageDirectory: string;
  sandboxProvider: string;
}

interface Parts {
  runs: StoredRuns;
  storage: RunStorage;
  observability: Pick<Observability, 'figures' | 'readiness'>;
  upkeep: Pick<Upkeep, 'report'>;
  clock: Clock;
}

/** Pages that show resources ask every few seconds; what runs take changes more slowly and costs more to find out. */
const USAGE_SHARED_MS = 60_000;

export class PgSystemReport extends SystemReport {
  private readonly cpu = new CpuMeter();
  private readonly usages = new Map<TenantId, () => Promise<DiskUsageResponse>>();

  constructor(
    private readonly parts: Parts,
    private readonly installation: Installation,
  ) {
    super();
  }

  async info({ tenantId }: Caller): Promise<SystemInfoResponse> {
    const { serverUrl, storageDirectory, sandboxProvider } = this.installation;
    const { total, active, held } = await this.parts.runs.count(tenantId);
    return {
      version: packageVersion(),
      server_url: serverUrl,
      git_sha: null,
      build_date: null,
      profile: null,
      os: os.platform(),
      arch: os.arch(),
      storage_engine: 'postgresql',
      storage_dir: storageDirectory,
      uptime_secs: Math.floor(process.uptime()),
      runs: { total, active, scheduler_slots_used: held },
      sandbox_provider: sandboxProvider,
    };
  }

  async resources(caller: Caller): Promise<SystemResourcesResponse> {
    const [disk, usage, figures] = await Promise.all([
      fileSystemResources(this.installation.storageDirectory),
      this.usageOf(caller),
      this.parts.observability.figures(),
    ]);
    return {
      sampled_at: new Date(this.parts.clock.now()).toISOString(),
      cpu: this.cpu.read(),
      memory: memoryResources(),
      disk: {
        ...disk,
        service_managed_bytes: usage.total_size_bytes,
        service_reclaimable_bytes: usage.total_reclaimable_bytes,
      },
      scheduler: schedulerResources(figures),
      notes: [],
    };
  }

  async check(): Promise<SystemCheckResponse> {
    const { observability, upkeep } = this.parts;
    const [figures, faults] = await Promise.all([observability.figures(), observability.readiness.faults()]);
    return verdictOf({ figures, faults, duties: upkeep.report() });
  }

  private usageOf(caller: Caller): Promise<DiskUsageResponse> {
    const { tenantId } = caller;
    const known = this.usages.get(tenantId);
    const read = known ?? remembered(USAGE_SHARED_MS, () => this.parts.storage.usage(caller, { verbose: false }));
    this.usages.set(tenantId, read);
    return read();
  }
}

function schedulerResources({ slots, leases, waiting, stuck, workers }: SystemFigures): SystemSchedulerResources {
  return {
    slots_limit: slots.limit,
    slots_in_use: slots.held,
    runs_queued: slots.queued,
    runs_parked: slots.parked,
    leases_held: leases.held,
    leases_expired: leases.expired,
    slot_wait_ms: waiting.forSlotMs,
    worker_wait_ms: waiting.forWorkerMs,
    stuck_rows: Object.values(stuck).reduce((sum, count) => sum + count, 0),
    workers_alive: workers.alive,
    workers_missing: workers.missing,
  };
}
