import { rm } from 'node:fs/promises';
import { epochFolder, epochsIn, ownerPath, ownerPathsIn, readWhole, writeWhole } from '../runner/run-folder.js';
import { type RunnerAddress } from './runner-process.js';

/** An epoch of a run, and the runner it works with. */
export interface Owner {
  epoch: number;
  runner: RunnerAddress;
}

/**
 * Who has opened a run on this host, as files in the folders of its epochs. An epoch writes itself down first and looks
 * for others afterwards; so of two that open at the same time the lower one always sees the higher, or is seen by it.
 */
export class RunOwners {
  /** `run` is the folder of the run. */
  constructor(private readonly run: string) {}

  /** The folder of the epoch is in place. */
  add(owner: Owner): void {
    writeWhole(this.pathOf(owner), owner);
  }

  list(): Owner[] {
    return epochsIn(this.run)
      .flatMap((epoch) => ownerPathsIn(epochFolder(this.run, epoch)))
      .map((path) => readWhole<Owner>(path))
      .filter((owner) => owner !== undefined);
  }

  async delete(owner: Owner): Promise<void> {
    await rm(this.pathOf(owner), { force: true });
  }

  private pathOf({ epoch, runner }: Owner): string {
    return ownerPath(epochFolder(this.run, epoch), runner.id);
  }
}
