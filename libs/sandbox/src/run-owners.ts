import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson, writeWhole } from './runner/run-folder.js';
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
    this.folder = join(runFolder, 'owners');
  }

  async add(owner: Owner): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    writeWhole(this.pathOf(owner), owner);
  }

  async list(): Promise<Owner[]> {
    const names = await readdir(this.folder).catch(ifMissing<string[]>([]));
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => readJson<Owner>(join(this.folder, name)))
      .filter((owner) => owner !== undefined);
  }

  async delete(owner: Owner): Promise<void> {
    await rm(this.pathOf(owner), { force: true });
  }

  private pathOf({ epoch, runner }: Owner): string {
    return join(this.folder, `${epoch}-${runner.id}.json`);
  }
}

/** For `catch`: what stands for a file or folder that is not there. */
export function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return value;
    throw error;
  };
}
