import type { ObjectStore, RunKey } from '#libs/engine';
import { isUlid, type RunId, type TenantId } from '#libs/kernel';

export interface RunOutputs {
  objects: number;
  bytes: number;
}

/** The folder of a run's outputs in the object store. */
export function outputsFolder({ tenantId, runId }: RunKey): string {
  return `${tenantId}/runs/${runId}/`;
}

/** What the object store keeps of each run of a tenant. Costs the number of objects: a bucket lists a thousand at a time. */
export async function measureOutputs(objects: ObjectStore, tenantId: TenantId): Promise<Map<RunId, RunOutputs>> {
  const outputs = new Map<RunId, RunOutputs>();
  for await (const { key, bytes } of objects.list(`${tenantId}/runs/`)) {
    const id = key.split('/')[2] ?? '';
    if (!isUlid(id)) continue;
    const before = outputs.get(id as RunId);
    outputs.set(id as RunId, { objects: (before?.objects ?? 0) + 1, bytes: (before?.bytes ?? 0) + bytes });
  }
  return outputs;
}
