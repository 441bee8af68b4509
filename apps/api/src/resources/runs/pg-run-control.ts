import { CANCELLED, type ObjectStore, type RunKey } from '#libs/engine';
import {
  IllegalTransitionError,
  isTerminal,
  stamp,
  type Principal,
  type RunEvent,
  type StampedEvent,
} from '#libs/events';
import { RunyardError, type Clock, type RunId } from '#libs/kernel';
import type { LockedHead, RunLedger, RunReader } from '#libs/persistence';
import { failStored, storedWalk } from '#libs/server-runtime';
import type { Caller } from '../../edge/auth/caller.js';
import { runOf } from '../../edge/auth/run-tokens.js';
import type { DeleteRunResponse } from './dto/run-commands.js';
import type { RunResponse } from './dto/run-response.js';
import { RunControl, type Removal } from './run-use-cases.js';
import { RunRemoval } from './run-removal.js';
import { runResponse } from './run-response.js';

type Stored = Parameters<typeof storedWalk>[1];
type LoadState = Parameters<Parameters<RunLedger['change']>[1]>[1];

/** The run came to no point from which it could go on. */
class NoCheckpointError extends RunyardError {
  override readonly code = 'no_checkpoint';
  readonly kind = 'conflict';

  constructor(runId: string, instead: string) {
    super(`Run ${runId} has no checkpoint to go on from; ${instead}.`);
  }
}

/** The run converges already. */
class ControlPendingError extends RunyardError {
  readonly kind = 'conflict';

  constructor(runId: string, pending: string) {
    super(`Run ${runId} has a pending ${pending} request; wait until it is fulfilled.`);
  }
}

/** Consent is a person's. */
class NotAPersonError extends RunyardError {
  readonly kind = 'forbidden';
}

const PENDING: RunEvent = { event: 'run.pending', properties: { reason: 'approval_required' } };

function requirePerson({ kind }: Principal, what: string): void {
  if (kind !== 'user') throw new NotAPersonError(`Runs are ${what} by people; this token belongs to a ${kind}.`);
}

export class PgRunControl extends RunControl {
  private readonly removal: RunRemoval;

  constructor(
    private readonly ledger: RunLedger,
    private readonly reader: RunReader,
    objects: ObjectStore,
    private readonly clock: Clock,
  ) {
    super();
    this.removal = new RunRemoval(ledger, objects, (run, actor) => this.requestCancel(run, actor), clock);
  }

  async start(caller: Caller, runId: RunId, { resume }: { resume: boolean }): Promise<RunResponse> {
    const run = { tenantId: caller.tenantId, runId };
    const actor = caller.principal;
    const goesOn = resume && !(await this.begins(run));
    // What a run makes by itself is looked at by a person each time before it is executed.
    const asks = runOf(caller) !== undefined;
    if (goesOn) await this.resume(run, actor, asks);
    else if (asks) await this.askApproval(run, actor);
    else await this.ledger.start({ ...run, actor });
    return this.read(run);
  }

  async approve({ tenantId, principal: actor }: Caller, runId: RunId): Promise<RunResponse> {
    requirePerson(actor, 'approved');
    await this.ledger.start({ tenantId, runId, actor, from: 'pending' });
    return this.read({ tenantId, runId });
  }

  async deny({ tenantId, principal: actor }: Caller, runId: RunId, reason: string | undefined): Promise<RunResponse> {
    requirePerson(actor, 'denied');
    const run = { tenantId, runId };
    await this.ledger.change(run, async ({ status }, load) => {
      if (status !== 'pending') throw new IllegalTransitionError(runId, status, 'denied');
      const denied = this.stamped({
        event: 'run.denied',
        actor,
        properties: { ...(reason !== undefined && { reason }) },
      });
      const message = reason ?? 'A person did not approve this run.';
      const end = await failStored(runId, load, this.clock, 'approval_denied', { message, category: 'canceled' });
      return { events: [denied, ...end], slot: 'none' };
    });
    return this.read(run);
  }

  async cancel(caller: Caller, runId: RunId): Promise<RunResponse> {
    const run = { tenantId: caller.tenantId, runId };
    await this.requestCancel(run, caller.principal);
    return this.read(run);
  }

  async pause({ tenantId, principal: actor }: Caller, runId: RunId): Promise<RunResponse> {
    const run = { tenantId, runId };
    await this.ledger.change(run, async (head, load) => {
      if (head.status !== 'running' && head.status !== 'blocked')
        throw new IllegalTransitionError(runId, head.status, 'paused');
      if (head.pendingControl !== null) throw new ControlPendingError(runId, head.pendingControl);
      const requested = this.stamped({ event: 'run.pause.requested', actor, properties: { action: 'pause' } });
      if (head.slot === 'held') return { events: [requested], pendingControl: 'pause' };
      const walk = storedWalk(runId, await load(), this.clock);
      walk.hear(requested);
      const { events, wakeAt } = walk.rest();
      return { events: [requested, ...events], slot: 'parked', wakeAt };
    });
    return this.read(run);
  }

  async unpause({ tenantId, principal: actor }: Caller, runId: RunId): Promise<RunResponse> {
    const run = { tenantId, runId };
    await this.ledger.change(run, async (head, load) => {
      if (head.status !== 'paused') throw new IllegalTransitionError(runId, head.status, 'unpaused');
      const { state } = storedWalk(runId, await load(), this.clock);
      const requested = this.stamped({ event: 'run.unpause.requested', actor, properties: { action: 'unpause' } });
      const unpaused = this.stamped({ event: 'run.unpaused', properties: {} });
      return { events: [requested, unpaused], status: state.blocked ? 'blocked' : 'running', slot: 'queued' };
    });
    return this.read(run);
  }

  async remove(caller: Caller, runId: RunId, options: { force: boolean }): Promise<DeleteRunResponse | undefined> {
    const [removal] = await this.removal.remove(caller, [runId], options);
    if (removal instanceof Error) throw removal;
    return undefined;
  }

  removeAll(caller: Caller, runIds: readonly RunId[], options: { force: boolean }): Promise<Removal[]> {
    return this.removal.remove(caller, runIds, options);
  }

  private askApproval(run: RunKey, actor: Principal): Promise<void> {
    return this.ledger.change(run, async ({ status }) => {
      if (status !== 'submitted') throw new IllegalTransitionError(run.runId, status, 'started');
      return {
        events: [
          this.stamped({ event: 'run.start_requested', actor, properties: { resume: false } }),
          this.stamped(PENDING),
        ],
      };
    });
  }

  /** Whether a run that is to be resumed was never started. Only a fork then has a checkpoint, and it keeps that. */
  private async begins(run: RunKey): Promise<boolean> {
    if ((await this.ledger.head(run)).status !== 'submitted') return false;
    this.requireCheckpoint(run, await this.ledger.state(run), 'start it without "resume"');
    return true;
  }

  private requireCheckpoint({ runId }: RunKey, stored: Stored, instead: string): void {
    if (!storedWalk(runId, stored, this.clock).state.resumeAt) throw new NoCheckpointError(runId, instead);
  }

  /** A failed run goes on from its last checkpoint, in its old place of the queue, or asks for consent to do so. */
  private resume(run: RunKey, actor: Principal, asks: boolean): Promise<void> {
    return this.ledger.change(run, async ({ status }, load) => {
      if (status !== 'failed') throw new IllegalTransitionError(run.runId, status, 'resumed');
      const stored = await load();
      this.requireCheckpoint(run, stored, 'retry it instead');
      return {
        events: [
          this.stamped({ event: 'run.start_requested', actor, properties: { resume: true } }),
          this.stamped({ event: 'run.submitted', properties: { definition_blob: stored.specSha256 } }),
          this.stamped(asks ? PENDING : { event: 'run.runnable', actor, properties: { source: 'start_requested' } }),
        ],
        slot: asks ? 'none' : 'queued',
        pendingControl: null,
      };
    });
  }

  /** A run that no worker holds ends here and now; a held one is asked to, once. */
  private requestCancel(run: RunKey, actor: Principal): Promise<void> {
    return this.ledger.change(run, async (head, load) => {
      if (isTerminal(head.status) || head.status === 'removing') {
        throw new IllegalTransitionError(run.runId, head.status, 'cancelled');
      }
      const request = this.stamped({ event: 'run.cancel.requested', actor, properties: { action: 'cancel' } });
      if (head.slot === 'held')
        return head.pendingControl === 'cancel' ? null : { events: [request], pendingControl: 'cancel' };
      const end = await this.cancelled(head, load);
      return { events: [request, ...end], slot: 'none', pendingControl: null };
    });
  }

  /** The events with which a run that nobody drives ends as cancelled. */
  private cancelled(head: LockedHead, load: LoadState): Promise<readonly StampedEvent[]> {
    return failStored(head.runId, load, this.clock, 'cancelled', CANCELLED);
  }

  private stamped(event: RunEvent): StampedEvent {
    return stamp(event, this.clock.now());
  }

  private async read(run: RunKey): Promise<RunResponse> {
    return runResponse(await this.reader.get(run), this.clock.now());
  }
}
