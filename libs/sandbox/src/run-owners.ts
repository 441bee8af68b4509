import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownersFolder, readWhole, writeWhole } from './runner/run-folder.js';
import { type RunnerAddress } from './runner-process.js';

/** An epoch of a run, and the runner it works with. */
export interface Owner {
  epoch: number;
  runner: RunnerAddress;
}

/**
 * Who has opened a run on this host, as files in the run's folder. An epoch writes itself down first and looks for
 * others afterwards; so of two that open at the same time the lower one always sees the higher, or is seen by it.
 */
export class RunOwners {
  private readonly folder: string;

  constructor(runFolder: string) {
    this.folder = ownersFolder(runFolder);
  }

  async add(owner: Owner): Promise<void> {
    writeWhole(this.pathOf(owner), owner);
  }

  async list(): Promise<Owner[]> {
    const names = await readdir(this.folder).catch(noneIfMissing);
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => readWhole<Owner>(join(this.folder, name)))
      .filter((owner) => owner !== undefined);
  }

  async delete(owner: Owner): Promise<void> {
    await rm(this.pathOf(owner), { force: true });
  }

  private pathOf({ epoch, runner }: Owner): string {
    return join(this.folder, `${epoch}-${runner.id}.json`);
  }
}

function noneIfMissing(error: unknown): string[] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
  throw error;
}
