import {
  needsSandbox,
  SandboxUnavailableError,
  type ClaimedRun,
  type RunDefinition,
  type Sandbox,
  type SandboxInstance,
  type SandboxProvider,
} from '#libs/engine';
import { MAX_PHRASE_BYTES, type RunEvent } from '#libs/events';
import { messageOf, shortenText } from '#libs/kernel';
import { MaskedSandbox } from './masked-sandbox.js';
import { identityOf, type ApiAccess } from './run-identity.js';

/** The sandbox of one run in one epoch: opened when it is first needed, fed while the lease is good, let go at the end. */
export class RunWorkspace {
  private opening: Promise<Sandbox> | undefined;
  private sandbox: Sandbox | undefined;
  private isLetGo = false;

  constructor(
    private readonly provider: SandboxProvider | undefined,
    private readonly claimed: ClaimedRun,
    private readonly definition: RunDefinition,
    private readonly api: ApiAccess | null,
    private leaseGoodAtMs: number,
  ) {}

  /** Whether a node or a hook works in a sandbox; a run without such never gets one. */
  get isNeeded(): boolean {
    const { dryRun, hooks } = this.definition;
    if (dryRun) return false;
    return hooks.needSandbox || [...this.definition.nodes()].some(needsSandbox);
  }

  /** Where its commands start; unknown until it was opened. */
  get directory(): string | undefined {
    return this.sandbox?.instance.workingDirectory;
  }

  /** Opens the sandbox, if one is needed, for the first time and states how that went. Rejects when it cannot be had. */
  async prepare(say: (event: RunEvent) => void): Promise<void> {
    if (!this.isNeeded) return;
    const { sandboxProvider: provider } = this.claimed;
    const began = performance.now();
    say({ event: 'sandbox.initializing', properties: { provider } });
    try {
      const { instance } = await this.open();
      const duration_ms = Math.round(performance.now() - began);
      say({ event: 'sandbox.ready', properties: { provider, duration_ms } });
      say({
        event: 'sandbox.initialized',
        properties: {
          provider,
          id: instance.id,
          working_directory: instance.workingDirectory,
          ...(instance.image !== undefined && { image: instance.image }),
        },
      });
      if (provider === 'local') say(localNotice(instance));
      if (this.definition.managesRuns && !this.api) say(UNREACHABLE);
    } catch (thrown) {
      const duration_ms = Math.round(performance.now() - began);
      const error = shortenText(messageOf(thrown), MAX_PHRASE_BYTES);
      say({ event: 'sandbox.failed', properties: { provider, error, causes: [], duration_ms } });
      throw thrown;
    }
  }

  /** Removes the sandbox with everything that earlier epochs left in it; whoever needs it next gets a new one. */
  async rebuild(say: (event: RunEvent) => void): Promise<void> {
    if (!this.isNeeded) return;
    const sandbox = await this.open();
    await sandbox.remove();
    this.opening = this.sandbox = undefined;
    const { epochsWithoutProgress } = this.claimed;
    const message = `${epochsWithoutProgress} workers in a row were lost while they drove this run; it goes on in a new sandbox.`;
    say({ event: 'run.notice', properties: { level: 'warn', code: 'sandbox_rebuilt', message } });
  }

  /** Opens the sandbox once. Rejects when it cannot be opened; the next call tries again. */
  async open(): Promise<Sandbox> {
    if (this.isLetGo) throw new SandboxUnavailableError('The sandbox was released.');
    this.opening ??= this.connect().catch((thrown: unknown) => {
      this.opening = undefined;
      throw thrown;
    });
    return this.opening;
  }

  /** The lease was good at this monotonic instant; a sandbox that is opened later learns of it, too. */
  keepAlive(leaseGoodAtMs: number): void {
    this.leaseGoodAtMs = Math.max(this.leaseGoodAtMs, leaseGoodAtMs);
    this.sandbox?.keepAlive(leaseGoodAtMs);
  }

  /** Leaves the sandbox for the run's next epoch, with what works in it. It is not opened any more. */
  async release(): Promise<void> {
    this.isLetGo = true;
    await this.sandbox?.release();
  }

  /** The run is over: nothing of it keeps running. */
  async remove(): Promise<void> {
    if (this.sandbox) await this.sandbox.remove();
    else if (this.isNeeded) await this.provider?.remove({ ...this.claimed.lease, bornAt: this.claimed.bornAt });
  }

  private async connect(): Promise<Sandbox> {
    const { lease, bornAt, sandboxProvider, sourceDirectory } = this.claimed;
    if (!this.provider) throw new SandboxUnavailableError(`This worker has no sandbox provider "${sandboxProvider}".`);
    const { tenantId, runId, epoch } = lease;
    const env = { ...this.definition.env, ...(await identityOf(lease, this.definition, this.api)) };
    const { leaseGoodAtMs } = this;
    const request = { tenantId, runId, bornAt, epoch, leaseGoodAtMs, sourceDirectory, env };
    const sandbox = new MaskedSandbox(await this.provider.open(request));
    this.sandbox = sandbox;
    sandbox.keepAlive(this.leaseGoodAtMs);
    if (!this.isLetGo) return sandbox;
    await sandbox.release();
    throw new SandboxUnavailableError('The sandbox was released while it was being opened.');
  }
}

const UNREACHABLE: RunEvent = {
  event: 'run.notice',
  properties: {
    level: 'warn',
    code: 'run_tools_unavailable',
    message: 'Commands of this run cannot manage runs: its worker does not know where the API is; set RUNYARD_WEB_URL.',
  },
};

function localNotice({ workingDirectory, user }: SandboxInstance): RunEvent {
  const may =
    user === undefined
      ? "nothing isolates them, nor this server's secrets from them"
      : 'they may read and change there what that user may';
  const message = `Commands run as ${user ?? 'you'}, on this machine, in ${workingDirectory}; ${may}.`;
  return { event: 'run.notice', properties: { level: 'info', code: 'local_sandbox', message } };
}
