import { type Caller } from '../../edge/auth/caller.js';
import { type SystemCheckResponse } from './dto/check.js';
import { type SystemInfoResponse } from './dto/system-info.js';
import { type SystemResourcesResponse } from './dto/system-resources.js';

/** How the server is and how it does. What it counts of runs is the tenant's; what it says of the whole names nobody. */
export abstract class SystemReport {
  abstract info(caller: Caller): Promise<SystemInfoResponse>;

  /** As this process sees the machine. */
  abstract resources(caller: Caller): Promise<SystemResourcesResponse>;

  /** Whether work gets done. `unavailable` when the database does not answer. */
  abstract check(): Promise<SystemCheckResponse>;
}
