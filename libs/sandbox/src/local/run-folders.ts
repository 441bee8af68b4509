import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxRun } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';

/** Where a run lies among all of this host: beside earlier ones that had its id, if anything is left of them. */
export function runFolder(sandboxes: string, { tenantId, runId, bornAt }: SandboxRun): string {
  return join(sandboxes, safeName(tenantId), safeName(runId), safeName(bornAt));
}

/** The runs that have a folder; what is no run's folder is passed over. */
export async function* runsIn(sandboxes: string): AsyncIterable<SandboxRun> {
  for await (const tenant of idsIn(sandboxes)) {
    for await (const run of idsIn(join(sandboxes, safeName(tenant)))) {
      for await (const bornAt of idsIn(join(sandboxes, safeName(tenant), safeName(run)))) {
        yield { tenantId: tenant as TenantId, runId: run as RunId, bornAt };
      }
    }
  }
}

/** A folder that is not there, or goes meanwhile, holds nothing. */
async function* idsIn(folder: string): AsyncIterable<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const id = entry.isDirectory() ? idOf(entry.name) : undefined;
      if (id !== undefined) yield id;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** An id as the name of a folder, whatever characters it holds. */
function safeName(id: string): string {
  return encodeURIComponent(id).replace(/^\.+/, (dots) => '%2E'.repeat(dots.length));
}

function idOf(name: string): string | undefined {
  try {
    const id = decodeURIComponent(name);
    return safeName(id) === name ? id : undefined;
  } catch {
    return undefined;
  }
}
