import { type Caller } from '../../edge/auth/caller.js';
import { type DiskUsageResponse } from './dto/disk-usage.js';
import { type PruneRunsRequest, type PruneRunsResponse } from './dto/prune.js';
import { type SystemRepairQuery, type SystemRepairRunsResponse } from './dto/repair.js';

/** What is kept of a tenant's runs, and getting rid of it. */
export abstract class RunStorage {
  abstract usage(caller: Caller, options: { verbose: boolean }): Promise<DiskUsageResponse>;

  /** The runs whose log is not whole or cannot be folded, as far as one request comes. They can be deleted like others. */
  abstract unreadable(caller: Caller, query: SystemRepairQuery): Promise<SystemRepairRunsResponse>;

  /**
   * Lists, or removes, about a thousand of the runs that are over and that every filter means. A run that is not over is never touched, also
   * when it is resumed meanwhile. A run whose removal fails is left out of the count; pruning again removes it.
   */
  abstract prune(caller: Caller, request: PruneRunsRequest): Promise<PruneRunsResponse>;
}
