import { randomUUID } from 'node:crypto';
import {
  LeaseLostError,
  RunStore,
  type Append,
  type Appended,
  type ClaimedRun,
  type DriveFault,
  type GivenUp,
  type Lease,
  type Release,
  type Released,
  type Renewed,
  type RunKey,
  type StoredState,
} from '#libs/engine';
import type { RunSpec, StampedEvent } from '#libs/events';
import type { Clock } from '#libs/kernel';
import type { Database } from '../database.js';
import { Batcher } from '../batcher.js';
import { announce } from './announce.js';
import { appendLocked } from './append-locked.js';
import { AppendQueue, type Flush } from './append-queue.js';
import { claimAny, claimHinted, renewLeases, saveSnapshot } from './claim-statement.js';
import type { CommitSignals } from './commit-signals.js';
import { Definitions } from './definitions.js';
import { giveUp, quarantine } from './give-up.js';
import { keyOf } from './locked-heads.js';
import { patiently } from './patiently.js';
import { isReleased, releaseRuns, type ReleaseRequest } from './release-runs.js';
import { readOthers, readState } from './read-log.js';

type ClaimRow = Omit<ClaimedRun, 'lease'> & RunKey & { epoch: number };

/** {@link RunStore} on PostgreSQL. Renewals have connections of their own, so that no load keeps a lease from being renewed. */
export class PgRunStore extends RunStore {
  private readonly appends: AppendQueue;
  private readonly releases: Batcher<ReleaseRequest, Released | undefined>;
  private readonly definitions: Definitions;

  constructor(
    private readonly database: Database,
    private readonly renewals: Database,
    owner: string,
    private readonly signals: CommitSignals,
    private readonly clock: Clock,
    flushed: (flush: Flush) => void = () => undefined,
  ) {
    super();
    this.definitions = new Definitions(database);
    this.appends = new AppendQueue(database, owner, (grown) => signals.appended(grown), flushed);
    this.releases = new Batcher(
      async (requests) => {
        const { results, grown, promoted } = await releaseRuns(database, requests, clock.now());
        announce(signals, grown, promoted);
        return results;
      },
      { maxItems: 64, concurrency: 1 },
    );
  }

  async claim(owner: string, limit: number, hints?: readonly RunKey[]): Promise<ClaimedRun[]> {
    const rows = hints
      ? await this.database.query<ClaimRow>(claimHinted, [
          owner,
          limit,
          hints.map((h) => h.tenantId),
          hints.map((h) => h.runId),
        ])
      : await this.database.query<ClaimRow>(claimAny, [owner, limit]);
    return rows.map(({ tenantId, runId, epoch, ...rest }) => ({ lease: { tenantId, runId, owner, epoch }, ...rest }));
  }

  spec({ tenantId }: RunKey, specSha256: string): Promise<RunSpec> {
    return this.definitions.read<RunSpec>(tenantId, specSha256);
  }

  load(run: RunKey): Promise<Omit<StoredState, 'spec'>> {
    return readState(this.database, run);
  }

  readOthers(run: RunKey, seq: number): Promise<StoredState['tail']> {
    return readOthers(this.database, run, seq);
  }

  append(lease: Lease, append: Append): Promise<Appended> {
    return this.appends.append(lease, append);
  }

  async appendLocked(
    lease: Lease,
    othersSeq: number,
    decide: (others: StoredState['tail']) => readonly StampedEvent[],
  ): Promise<Appended> {
    const { appended, grown } = await appendLocked(this.database, lease, othersSeq, decide);
    if (grown) this.signals.appended(grown);
    return appended;
  }

  async snapshot({ tenantId, runId, owner, epoch }: Lease, seq: number, state: string): Promise<void> {
    await this.database.queryAgain(saveSnapshot, [tenantId, runId, owner, epoch, seq, state]);
  }

  /** Sent again after a broken connection: what is stored already ended its own lease and is refused. */
  release(lease: Lease, release: Release): Promise<Released> {
    const request = { lease, release, appendId: randomUUID() };
    return patiently(async () => {
      const released = await this.releases.add(request);
      if (released) return released;
      if (await isReleased(this.database, request)) return { released: true };
      throw new LeaseLostError(lease);
    });
  }

  async giveUp(lease: Lease, fault: DriveFault): Promise<GivenUp> {
    const { givenUp, grown, promoted } = await giveUp(this.database, lease, fault, this.clock.now());
    announce(this.signals, grown, promoted);
    return givenUp;
  }

  async quarantine(lease: Lease, cause: string): Promise<void> {
    announce(this.signals, [], await quarantine(this.database, lease, cause, this.clock.now()));
  }

  async renew(owner: string, leases: readonly Lease[]): Promise<Map<Lease, Renewed>> {
    const rows = await this.renewals.query<RunKey & Renewed>(renewLeases, [
      owner,
      leases.map(({ tenantId }) => tenantId),
      leases.map(({ runId }) => runId),
      leases.map(({ epoch }) => epoch),
    ]);
    const held = new Map(rows.map(({ pendingControl, lastSeq, ...run }) => [keyOf(run), { pendingControl, lastSeq }]));
    return new Map(
      leases.flatMap((lease) => {
        const renewed = held.get(keyOf(lease));
        return renewed ? [[lease, renewed] as const] : [];
      }),
    );
  }
}
