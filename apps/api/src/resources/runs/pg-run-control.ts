import type { ObjectStore, RunKey } from '#libs/engine';
import type { Clock, RunId } from '#libs/kernel';
import type { RunLedger, RunReader } from '#libs/persistence';
import type { RunCommand } from '#libs/runs';
import type { Caller } from '../../edge/auth/caller.js';
import { runOf } from '../../edge/auth/run-tokens.js';
import type { DeleteRunResponse } from './dto/run-commands.js';
import type { RunResponse } from './dto/run-response.js';
import { RunControl, type Removal } from './run-use-cases.js';
import { RunRemoval } from './run-removal.js';
import { runResponse } from './run-response.js';

export class PgRunControl extends RunControl {
  private readonly removal: RunRemoval;

  constructor(
    private readonly ledger: RunLedger,
    private readonly reader: RunReader,
    objects: ObjectStore,
    private readonly clock: Clock,
  ) {
    super();
    this.removal = new RunRemoval(ledger, objects);
  }

  /** What a run makes by itself is looked at by a person each time before it is executed. */
  start(caller: Caller, runId: RunId, { resume }: { resume: boolean }): Promise<RunResponse> {
    const needsConsent = runOf(caller) !== undefined;
    return this.change(caller, runId, { kind: resume ? 'resume' : 'start', actor: caller.principal, needsConsent });
  }

  approve(caller: Caller, runId: RunId): Promise<RunResponse> {
    return this.change(caller, runId, { kind: 'approve', actor: caller.principal });
  }

  deny(caller: Caller, runId: RunId, reason: string | undefined): Promise<RunResponse> {
    return this.change(caller, runId, { kind: 'deny', actor: caller.principal, reason });
  }

  cancel(caller: Caller, runId: RunId): Promise<RunResponse> {
    return this.change(caller, runId, { kind: 'cancel', actor: caller.principal });
  }

  pause(caller: Caller, runId: RunId): Promise<RunResponse> {
    return this.change(caller, runId, { kind: 'pause', actor: caller.principal });
  }

  unpause(caller: Caller, runId: RunId): Promise<RunResponse> {
    return this.change(caller, runId, { kind: 'unpause', actor: caller.principal });
  }

  async remove(caller: Caller, runId: RunId, options: { force: boolean }): Promise<DeleteRunResponse | undefined> {
    const [removal] = await this.removal.remove(caller, [runId], options);
    if (removal instanceof Error) throw removal;
    return undefined;
  }

  removeAll(caller: Caller, runIds: readonly RunId[], options: { force: boolean }): Promise<Removal[]> {
    return this.removal.remove(caller, runIds, options);
  }

  private async change({ tenantId }: Caller, runId: RunId, command: RunCommand): Promise<RunResponse> {
    const run: RunKey = { tenantId, runId };
    await this.ledger.change(run, command);
    return runResponse(await this.reader.get(run), this.clock.now());
  }
}
