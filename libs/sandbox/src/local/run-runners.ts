import { mkdir } from 'node:fs/promises';
import { SandboxUnavailableError } from '#libs/engine';
import { reachRunner } from './earlier-runner.js';
import { killLeftovers } from './leftovers.js';
import { type Owner, RunOwners } from './run-owners.js';
import { type RunnerConnection } from './runner-connection.js';
import { type RunnerProcess } from './runner-process.js';
import { epochFolder, foldersOf } from '../runner/run-folder.js';

/** How long a runner of an earlier epoch may take to answer before it is killed. */
const TAKE_OVER_MS = 3_000;
const MOST_TRIES = 10;

/** A run as one epoch opens it. */
export interface RunOpening {
  /** The folder of the run. */
  run: string;
  epoch: number;
  workingDirectory: string;
  env: Readonly<Record<string, string>>;
}

/**
 * The runners that may hold something of one run, as one epoch sees them: this worker's own, which starts its commands,
 * and those of earlier epochs. When its own dies, another takes its place at the next use, and what the dead one left
 * is killed first.
 */
export class RunRunners {
  /** Attempts of earlier epochs that this one follows: they are spared by a sweep. */
  readonly adopted = new Set<string>();
  private readonly owners: RunOwners;
  private readonly earlier = new Map<string, RunnerConnection>();
  private own: RunnerProcess | undefined;
  private attaching: Promise<RunnerConnection> | undefined;

  constructor(
    private readonly opening: RunOpening,
    private readonly runnerOfWorker: () => Promise<RunnerProcess>,
    private leaseGoodAtMs: number,
  ) {
    this.owners = new RunOwners(opening.run);
  }

  /** This worker's runner, in which the run is open under this epoch. Rejects when a later epoch was seen. */
  async ownRunner(): Promise<RunnerConnection> {
    if (this.own?.connection.isOpen) return this.own.connection;
    this.attaching ??= this.attach().finally(() => (this.attaching = undefined));
    return this.attaching;
  }

  /** Those that are alive. The own one comes last: what an earlier epoch started is rather with an earlier runner. */
  async all(): Promise<RunnerConnection[]> {
    const own = await this.ownRunner();
    return [...this.earlier.values(), own].filter(({ isOpen }) => isOpen);
  }

  keepAlive(leaseGoodAtMs: number): void {
    this.leaseGoodAtMs = Math.max(this.leaseGoodAtMs, leaseGoodAtMs);
    const { run, epoch } = this.opening;
    for (const connection of [this.own?.connection, ...this.earlier.values()]) {
      connection?.send({ do: 'keepAlive', run, epoch, leaseGoodAtMs });
    }
  }

  /** Kills what lower epochs started and was not adopted, wherever it runs. */
  async sweep(): Promise<void> {
    const { run, epoch } = this.opening;
    const request = { do: 'sweep', run, below: epoch, spare: [...this.adopted] } as const;
    for (const connection of await this.all()) await connection.request(request);
    await killLeftovers(run, (command) => command.epoch < epoch && !this.adopted.has(command.attempt));
    if (this.adopted.size === 0) await this.forgetEarlier();
  }

  /** Lets go of all runners and leaves what they hold in place. */
  release(): void {
    const { run, epoch } = this.opening;
    this.own?.connection.send({ do: 'release', run, epoch });
    for (const connection of this.earlier.values()) connection.close();
    this.earlier.clear();
  }

  /**
   * The order is the fence: the run is open in the own runner before this epoch is written down, and written down
   * before others are looked for. Whoever takes over later finds this runner and raises the epoch in it.
   */
  private async attach(): Promise<RunnerConnection> {
    const { run, epoch } = this.opening;
    await makeFolders(epochFolder(run, epoch));
    const own = await this.runnerOfWorker();
    await own.connection.request({ do: 'open', ...this.opening, leaseGoodAtMs: this.leaseGoodAtMs });
    this.owners.add({ epoch, runner: own.address });

    const others = this.owners.list().filter(({ runner }) => runner.id !== own.address.id);
    const newest = Math.max(epoch, ...others.map((owner) => owner.epoch));
    if (newest > epoch) throw new SandboxUnavailableError(`Epoch ${newest} holds this run, not ${epoch}.`);
    for (const owner of others) await this.takeOver(owner);

    this.own = own;
    return own.connection;
  }

  /** What earlier epochs started is dead: their runners hold nothing of this run any more. */
  private async forgetEarlier(): Promise<void> {
    for (const owner of this.owners.list()) {
      if (owner.epoch < this.opening.epoch) await this.owners.delete(owner);
    }
    for (const connection of this.earlier.values()) connection.close();
    this.earlier.clear();
  }

  private async takeOver(owner: Owner): Promise<void> {
    const { run, epoch } = this.opening;
    if (owner.epoch === epoch) return this.replace(owner);
    if (this.earlier.get(owner.runner.id)?.isOpen) return;

    const request = { do: 'takeOver', run, epoch, leaseGoodAtMs: this.leaseGoodAtMs } as const;
    const connection = await reachRunner(owner, request, { patienceMs: TAKE_OVER_MS });
    if (connection) this.earlier.set(owner.runner.id, connection);
    else this.earlier.delete(owner.runner.id);
  }

  /** A former runner of this same epoch: nothing that it started is followed by anybody any more. */
  private async replace(owner: Owner): Promise<void> {
    const { run, epoch } = this.opening;
    (await reachRunner(owner, { do: 'remove', run, epoch }))?.close();
    await killLeftovers(run, (command) => command.epoch === epoch && !this.adopted.has(command.attempt));
    await this.owners.delete(owner);
  }
}

/** The removal of an earlier epoch may take an empty folder away between two steps of this; nothing takes this epoch's. */
async function makeFolders(epoch: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await mkdir(epoch, { recursive: true, mode: 0o700 });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === MOST_TRIES) throw error;
    }
  }
  for (const folder of foldersOf(epoch)) await mkdir(folder, { recursive: true, mode: 0o700 });
}
