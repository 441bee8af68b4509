import os from 'node:os';
import { type SystemMemoryResources } from '../dto/system-resources.js';

/** The memory of the container when it has a limit of its own, else that of the machine. */
export function memoryResources(): SystemMemoryResources {
  const hostTotal = os.totalmem();
  const limit = process.constrainedMemory();
  const isLimited = limit > 0 && limit < hostTotal;
  const total = isLimited ? limit : hostTotal;
  const available = Math.min(process.availableMemory(), total);
  const used = total - available;
  return {
    supported: true,
    unavailable_reason: null,
    scope: isLimited ? 'cgroup' : 'host',
    total_bytes: total,
    used_bytes: used,
    available_bytes: available,
    used_percent: Math.round((used / total) * 1_000) / 10,
    host_total_bytes: hostTotal,
  };
}
