import type { RunId, TenantId } from '#libs/kernel';

/** One run, as a key of a map. A newline is in no id. */
export function runKey({ tenantId, runId }: { tenantId: TenantId; runId: RunId }): string {
  return `${tenantId}\n${runId}`;
}
