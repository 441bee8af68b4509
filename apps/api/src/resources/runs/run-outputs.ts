import type { ObjectStore, RunKey } from '#libs/engine';
import { isUlid, type RunId, type TenantId } from '#libs/kernel';

export interface RunOutputs {
  objects: number;
  bytes: number;
}

/** Runs that are held at once, and folders that are listed at once. */
const AT_ONCE = 1_000;
const LISTED_AT_ONCE = 16;

/** The folder of a run's outputs in the object store. */
export function outputsFolder({ tenantId, runId }: RunKey): string {
  return `${tenantId}/runs/${runId}/`;
}

/**
 * What the object store keeps of the runs of a tenant, some at a time: a run may be in several of them, each time with other
 * objects. Costs the number of objects: a bucket lists a thousand at a time.
 */
export async function* measureOutputs(
  objects: ObjectStore,
  tenantId: TenantId,
): AsyncGenerator<Map<RunId, RunOutputs>> {
  let outputs = new Map<RunId, RunOutputs>();
  for await (const { key, bytes } of objects.list(`${tenantId}/runs/`)) {
    const id = key.split('/')[2] ?? '';
    if (!isUlid(id)) continue;
    if (outputs.size === AT_ONCE && !outputs.has(id as RunId)) {
      yield outputs;
      outputs = new Map();
    }
    const before = outputs.get(id as RunId);
    outputs.set(id as RunId, { objects: (before?.objects ?? 0) + 1, bytes: (before?.bytes ?? 0) + bytes });
  }
  if (outputs.size > 0) yield outputs;
}

/** The bytes that the object store keeps of these runs, in their order. */
export async function measureOutputsOf(objects: ObjectStore, runs: readonly RunKey[]): Promise<number[]> {
  const sizes: number[] = [];
  for (let from = 0; from < runs.length; from += LISTED_AT_ONCE) {
    const some = runs.slice(from, from + LISTED_AT_ONCE);
    sizes.push(...(await Promise.all(some.map((run) => bytesIn(objects, outputsFolder(run))))));
  }
  return sizes;
}

async function bytesIn(objects: ObjectStore, folder: string): Promise<number> {
  let sum = 0;
  for await (const { bytes } of objects.list(folder)) sum += bytes;
  return sum;
}
