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
import type { SystemClock } from '#libs/kernel';
import { RunNotFoundError } from '#libs/runs';
import type { Database, Statement } from '../database.js';
import { Batcher } from '../batcher.js';
import { announce } from '../slots/announce.js';
import { appendLocked } from '../log/append-locked.js';
import { AppendQueue, type Flush } from '../log/append-queue.js';
import { claimAny, claimHinted, renewLeases, saveSnapshot } from '../slots/claim-statement.js';
import type { CommitSignals } from '../log/commit-signals.js';
import { Definitions } from './definitions.js';
import { DoubtfulClaims } from '../slots/doubtful-claims.js';
import { giveUp, quarantine } from '../slots/give-up.js';
import { beginChain, chainOf, reached } from '../log/lease-chain.js';
import { keyOf } from '../log/locked-heads.js';
import { findLostTail, type LostTail } from '../log/lost-tail.js';
import { patiently } from '../log/patiently.js';
import { isReleased, releaseRuns, type ReleaseRequest } from '../slots/release-runs.js';
import { readOthers, readState } from '../log/read-log.js';

type ClaimRow = Omit<ClaimedRun, 'lease'> & RunKey & { epoch: number; lastAppendId: string | null; now: number };

/** Who watches the store of a worker. */
export interface StoreWatch {
  flushed?(flush: Flush): void;
  /** Another server took over, without the end of this log. The lease is over then. */
  tailLost?(lost: LostTail): void;
}

const findSpec: Statement = {
  name: 'find-spec',
  text: 'SELECT spec_sha256 AS sha256 FROM runs WHERE tenant_id = $1 AND id = $2',
};

/** {@link RunStore} on PostgreSQL. Renewals have connections of their own, so that no load keeps a lease from being renewed. */
export class PgRunStore extends RunStore {
  private readonly appends: AppendQueue;
  private readonly releases: Batcher<ReleaseRequest, Released | undefined>;
  private readonly definitions: Definitions;
  private readonly doubtfulClaims: DoubtfulClaims;

  constructor(
    private readonly database: Database,
    private readonly renewals: Database,
    owner: string,
    private readonly signals: CommitSignals,
    private readonly clock: SystemClock,
    private readonly watch: StoreWatch = {},
  ) {
    super();
    this.definitions = new Definitions(database);
    this.doubtfulClaims = new DoubtfulClaims(database, owner);
    this.appends = new AppendQueue(
      database,
      owner,
      (grown) => signals.appended(grown),
      (flush) => watch.flushed?.(flush),
      (lease) => this.refusalOf(lease),
    );
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
    await this.doubtfulClaims.undo();
    const claimId = randomUUID();
    const sentAtMs = performance.now();
    const rows = await this.sendClaim([owner, limit, claimId], hints).catch((thrown: unknown) => {
      this.doubtfulClaims.add(claimId);
      throw thrown;
    });
    this.follow(rows, sentAtMs);
    return rows.map(({ tenantId, runId, epoch, lastAppendId, now: _now, ...rest }) => {
      const lease = { tenantId, runId, owner, epoch };
      beginChain(lease, { lastAppendId, lastSeq: rest.nextSeq - 1 });
      return { lease, ...rest };
    });
  }

  private sendClaim(values: readonly unknown[], hints?: readonly RunKey[]): Promise<ClaimRow[]> {
    if (!hints) return this.database.query(claimAny, values);
    const named = [hints.map(({ tenantId }) => tenantId), hints.map(({ runId }) => runId)];
    return this.database.query(claimHinted, [...values, ...named]);
  }

  spec({ tenantId }: RunKey, specSha256: string): Promise<RunSpec> {
    return this.definitions.read<RunSpec>(tenantId, specSha256);
  }

  load(run: RunKey): Promise<Omit<StoredState, 'spec'>> {
    return readState(this.database, run, () => this.specOf(run));
  }

  private async specOf(run: RunKey): Promise<RunSpec> {
    const [row] = await this.database.query<{ sha256: string }>(findSpec, [run.tenantId, run.runId]);
    if (!row) throw new RunNotFoundError(run.runId);
    return this.spec(run, row.sha256);
  }

  async readOthers(run: RunKey, seq: number): Promise<StoredState['tail']> {
    const others = await readOthers(this.database, run, seq);
    for (const other of others) reached(run, other.seq);
    return others;
  }

  append(lease: Lease, append: Append): Promise<Appended> {
    return this.appends.append(lease, append);
  }

  async appendLocked(
    lease: Lease,
    othersSeq: number,
    decide: (others: StoredState['tail']) => readonly StampedEvent[],
  ): Promise<Appended> {
    const { appended, grown } = await appendLocked(this.database, lease, othersSeq, decide).catch(
      async (thrown: unknown) => {
        throw thrown instanceof LeaseLostError ? await this.refusalOf(lease) : thrown;
      },
    );
    if (grown) {
      reached(lease, grown.toSeq);
      this.signals.appended(grown);
    }
    return appended;
  }

  async snapshot({ tenantId, runId, owner, epoch }: Lease, seq: number, state: string): Promise<void> {
    await this.database.queryAgain(saveSnapshot, [tenantId, runId, owner, epoch, seq, state]);
  }

  /** Sent again after a broken connection: what is stored already ended its own lease and is refused. */
  release(lease: Lease, release: Release): Promise<Released> {
    const request = { lease, release, appendId: randomUUID() };
    const send = async (): Promise<Released> => {
      const released = await this.releases.add(request);
      if (released) return released;
      if (await isReleased(this.database, request)) return { released: true };
      throw await this.refusalOf(lease);
    };
    return this.appends.alone(lease, () => patiently(send));
  }

  /** Sent again as a release is. One that was stored though its reply was lost is refused then, which changes nothing. */
  async giveUp(lease: Lease, fault: DriveFault): Promise<GivenUp> {
    const { givenUp, grown, promoted } = await patiently(() => giveUp(this.database, lease, fault, this.clock.now()));
    announce(this.signals, grown, promoted);
    return givenUp;
  }

  async quarantine(lease: Lease, cause: string): Promise<void> {
    announce(this.signals, [], await patiently(() => quarantine(this.database, lease, cause, this.clock.now())));
  }

  async renew(owner: string, leases: readonly Lease[]): Promise<Map<Lease, Renewed>> {
    const known = leases.map((lease) => chainOf(lease)?.lastSeq ?? 0);
    const sentAtMs = performance.now();
    const rows = await this.renewals.query<RunKey & Renewed & { epoch: number; now: number }>(renewLeases, [
      owner,
      leases.map(({ tenantId }) => tenantId),
      leases.map(({ runId }) => runId),
      leases.map(({ epoch }) => epoch),
    ]);
    this.follow(rows, sentAtMs);
    const held = new Map(
      rows.map(({ pendingControl, lastSeq, ...run }) => [epochOf(run), { pendingControl, lastSeq }]),
    );
    return new Map(
      leases.flatMap((lease, i) => {
        const renewed = held.get(epochOf(lease));
        if (!renewed) return [];
        if (renewed.lastSeq >= known[i]!) return [[lease, renewed] as const];
        void this.refusalOf(lease);
        return [];
      }),
    );
  }

  /** Claims and renewals say what time it is; deadlines are made and judged with the database's clock. */
  private follow(rows: readonly { now: number }[], sentAtMs: number): void {
    const last = rows.at(-1);
    if (last) this.clock.follow(last.now, performance.now() - sentAtMs);
  }

  /**
   * The lease is over; where that is so because the end of its log was lost, it is told, here and in the log. Never
   * rejects: a database that is away tells it to the next epoch.
   */
  private async refusalOf(lease: Lease): Promise<LeaseLostError> {
    try {
      const found = await findLostTail(this.database, lease, this.clock.now());
      if (found) {
        this.watch.tailLost?.(found.lost);
        this.signals.appended(found.grown);
      }
      return new LeaseLostError(lease);
    } catch (cause) {
      return new LeaseLostError(lease, { cause });
    }
  }
}

/** A worker may hold a run in a later epoch than the one that it asks for. */
function epochOf({ epoch, ...run }: RunKey & { epoch: number }): string {
  return `${keyOf(run)} ${epoch}`;
}
