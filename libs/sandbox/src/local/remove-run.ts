import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SandboxUnavailableError } from '#libs/engine';
import { reachRunner } from './earlier-runner.js';
import { killLeftovers } from './leftovers.js';
import { RunOwners } from './run-owners.js';
import { isEpoch } from '../runner/run-folder.js';

/**
 * Removes what this epoch of a run and earlier ones left on this host, and kills what of it still works. Rejects when a
 * later epoch has opened the run; one that opens it meanwhile finds nothing, and loses nothing.
 */
export async function removeRun(run: string, epoch: number): Promise<void> {
  const owners = new RunOwners(run).list();
  const newest = Math.max(0, ...owners.map((owner) => owner.epoch));
  if (newest > epoch) throw new SandboxUnavailableError(`Epoch ${newest} holds this run, not ${epoch}.`);

  for (const owner of owners) (await reachRunner(owner, { do: 'remove', run, epoch }))?.close();
  await killLeftovers(run, (command) => command.epoch <= epoch);
  const isLater = (name: string): boolean => isEpoch(name) && Number(name) > epoch;
  const names = await readdir(run).catch(unless('ENOENT', []));
  for (const name of names.filter((one) => !isLater(one))) await rm(join(run, name), { recursive: true, force: true });
  for (const folder of [run, dirname(run)]) {
    await rmdir(folder).catch(unless('ENOENT', undefined)).catch(unless('ENOTEMPTY', undefined));
  }
}

function unless<T>(code: string, otherwise: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === code) return otherwise;
    throw error;
  };
}
