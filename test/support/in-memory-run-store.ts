import {
  LeaseLostError,
  MAX_DEFECTS,
  RunStore,
  POISON_EPOCHS,
  SUSPECT_EPOCHS,
  type Append,
  type Appended,
  type ClaimedRun,
  type Control,
  type DriveFault,
  type GivenUp,
  type Lease,
  type Release,
  type Released,
  type Renewed,
  type RunKey,
  type RunState,
  type StoredState,
} from '#libs/engine';
import {
  applyToRunView,
  beginRunView,
  decodeEvent,
  encodeEvent,
  isProgress,
  isTerminal,
  stamp,
  type EventEnvelope,
  type RunSpec,
  type RunView,
  type StampedEvent,
} from '#libs/events';
import { InvariantError } from '#libs/kernel';

const LEASE_MS = 10_000;

type Slot = 'none' | 'queued' | 'held' | 'parked';

interface StoredEvent {
  epoch: number | null;
  envelope: EventEnvelope;
}

interface Head extends RunKey {
  spec: RunSpec;
  specSha256: string;
  log: StoredEvent[];
  view: RunView;
  slot: Slot;
  runnableSeq: number;
  owner: string | null;
  epoch: number;
  leaseUntilMs: number | null;
  /** The lease was lost, and no worker was. */
  isBlameless: boolean;
  pendingControl: Control | null;
  wakeAt: number | null;
  epochsWithoutProgress: number;
  snapshot: { seq: number; state: string } | null;
  /** Of the faults in a row for which workers gave it back. */
  faults: { epoch: number; failures: number; defects: number; cause: string } | null;
  isDead: boolean;
}

/** What several in-memory stores share, as workers share a database. */
export class InMemoryRuns {
  private readonly heads = new Map<string, Head>();
  private nextRunnableSeq = 1;

  constructor(private readonly maxConcurrentRuns = Number.MAX_SAFE_INTEGER) {}

  /** Submits a run. Its events begin with `run.created`. */
  submit(run: RunKey, spec: RunSpec, specSha256: string, events: readonly StampedEvent[]): void {
    const envelopes = events.map((event, i) => decodeEvent(i + 1, encodeEvent(run.runId, event).body));
    const [created, ...rest] = envelopes;
    this.heads.set(keyOf(run), {
      ...run,
      spec,
      specSha256,
      log: envelopes.map((envelope) => ({ epoch: null, envelope })),
      view: rest.reduce(applyToRunView, beginRunView(created!)),
      slot: 'none',
      runnableSeq: 0,
      owner: null,
      epoch: 0,
      leaseUntilMs: null,
      isBlameless: false,
      pendingControl: null,
      wakeAt: null,
      epochsWithoutProgress: 0,
      snapshot: null,
      faults: null,
      isDead: false,
    });
  }

  /** Queues a submitted run and gives it a slot when one is free. */
  start(run: RunKey): void {
    const head = this.require(run);
    const requested = stamp({ event: 'run.start_requested', properties: { resume: false } }, Date.now());
    const runnable = stamp({ event: 'run.runnable', properties: { source: 'start_requested' } }, Date.now());
    store(head, null, [requested, runnable]);
    head.slot = 'queued';
    head.runnableSeq = this.nextRunnableSeq++;
    this.promote();
  }

  /** An append that no worker makes. */
  change(run: RunKey, events: readonly StampedEvent[], pendingControl?: Control): void {
    const head = this.require(run);
    store(head, null, events);
    head.pendingControl = pendingControl ?? head.pendingControl;
  }

  /** Ends a lease as time would. */
  expireLease(run: RunKey): void {
    const head = this.require(run);
    if (head.leaseUntilMs !== null) head.leaseUntilMs = performance.now() - 1;
  }

  /** Ends a lease that nobody uses, and counts nothing. */
  giveBack(lease: Lease): void {
    const head = this.held(lease);
    if (head) Object.assign(head, { owner: null, leaseUntilMs: performance.now() - 1, isBlameless: true });
  }

  log(run: RunKey): { seq: number; epoch: number | null; id: string; event: string }[] {
    return this.require(run).log.map(({ epoch, envelope: { seq, id, event } }) => ({ seq, epoch, id, event }));
  }

  require(run: RunKey): Head {
    const head = this.heads.get(keyOf(run));
    if (!head) throw new InvariantError(`Run ${run.runId} is not stored.`);
    return head;
  }

  /** Where the run stands with the scheduler. */
  standing(run: RunKey): { slot: Slot; wakeInMs: number | null; isDead: boolean; fault: string | null } {
    const { slot, wakeAt, isDead, faults } = this.require(run);
    return { slot, wakeInMs: wakeAt === null ? null : wakeAt - Date.now(), isDead, fault: faults?.cause ?? null };
  }

  /** Queues a parked run, as its moment would. */
  wake(run: RunKey): void {
    this.require(run).slot = 'queued';
    this.promote();
  }

  /** Runs that hold a slot and have no living owner: those that lost one before the others, first promoted first. */
  claimable(): Head[] {
    const isFree = ({ leaseUntilMs }: Head): boolean => leaseUntilMs === null || leaseUntilMs < performance.now();
    const free = this.inOrder('held').filter((head) => !isOver(head) && isFree(head));
    return [...free.filter(wasLost), ...free.filter((head) => !wasLost(head))];
  }

  /** The head that a lease is good for. */
  held({ tenantId, runId, owner, epoch }: Lease): Head | undefined {
    const head = this.heads.get(keyOf({ tenantId, runId }));
    const isMine = head?.owner === owner && head.epoch === epoch && head.slot === 'held';
    return isMine && !isOver(head) ? head : undefined;
  }

  /** Whether this worker drives a run that is parted from other suspects. */
  hasSuspect(owner: string): boolean {
    const now = performance.now();
    const drives = (head: Head): boolean => head.owner === owner && (head.leaseUntilMs ?? 0) > now;
    return this.inOrder('held').some((head) => drives(head) && isSuspect(head.epochsWithoutProgress));
  }

  promote(): void {
    const free = this.maxConcurrentRuns - this.inOrder('held').length;
    for (const head of this.inOrder('queued').slice(0, Math.max(0, free))) {
      head.slot = 'held';
      if (head.view.status.kind === 'runnable')
        store(head, null, [stamp({ event: 'run.starting', properties: {} }, Date.now())]);
    }
  }

  private inOrder(slot: Slot): Head[] {
    return [...this.heads.values()].filter((head) => head.slot === slot).sort((a, b) => a.runnableSeq - b.runnableSeq);
  }
}

/** {@link RunStore} of one worker, without a database. */
export class InMemoryRunStore extends RunStore {
  private losesNextClaim = false;
  /** What claims took whose replies were lost. */
  private unheard: Lease[] = [];

  constructor(private readonly runs: InMemoryRuns) {
    super();
  }

  /** The next claim is made, and its caller does not hear of it. */
  loseNextClaim(): void {
    this.losesNextClaim = true;
  }

  async claim(owner: string, limit: number, hints?: readonly RunKey[]): Promise<ClaimedRun[]> {
    await turn();
    for (const lease of this.unheard.splice(0)) this.runs.giveBack(lease);
    const claims = this.take(owner, limit, hints);
    if (!this.losesNextClaim) return claims;
    this.losesNextClaim = false;
    this.unheard = claims.map(({ lease }) => lease);
    throw new Error('The reply was lost.');
  }

  private take(owner: string, limit: number, hints?: readonly RunKey[]): ClaimedRun[] {
    const wanted = hints && new Set(hints.map(keyOf));
    const claimable = this.runs.claimable().filter((head) => !wanted || wanted.has(keyOf(head)));
    const suspects = claimable
      .filter((head) => isSuspect(lostEpochs(head)))
      .slice(0, this.runs.hasSuspect(owner) ? 0 : 1);
    const claims = [...suspects, ...claimable.filter((head) => !isSuspect(lostEpochs(head)))].slice(0, limit);
    return claims.map((head) => {
      const lostWorker = wasLost(head);
      head.epochsWithoutProgress = lostEpochs(head);
      head.isBlameless = false;
      head.owner = owner;
      head.epoch++;
      head.leaseUntilMs = performance.now() + LEASE_MS;
      return {
        lease: { tenantId: head.tenantId, runId: head.runId, owner, epoch: head.epoch },
        bornAt: head.log[0]!.envelope.ts,
        nextSeq: head.log.length + 1,
        wasLost: lostWorker,
        epochsWithoutProgress: head.epochsWithoutProgress,
        pendingControl: head.pendingControl,
        specSha256: head.specSha256,
        sourceDirectory: head.view.source_directory,
        sandboxProvider: head.view.sandbox.plan.provider,
      };
    });
  }

  async spec(run: RunKey, _specSha256: string): Promise<RunSpec> {
    return structuredClone(this.runs.require(run).spec);
  }

  async load(run: RunKey): Promise<Omit<StoredState, 'spec'>> {
    await turn();
    const { snapshot, log } = this.runs.require(run);
    const tail = log.slice(snapshot?.seq ?? 0).map(({ envelope }) => structuredClone(envelope));
    return { snapshot: snapshot && { seq: snapshot.seq, state: JSON.parse(snapshot.state) as RunState }, tail };
  }

  async readOthers(run: RunKey, seq: number): Promise<StoredState['tail']> {
    await turn();
    return othersAfter(this.runs.require(run), seq);
  }

  async appendLocked(
    lease: Lease,
    othersSeq: number,
    decide: (others: StoredState['tail']) => readonly StampedEvent[],
  ): Promise<Appended> {
    await turn();
    const head = this.held(lease);
    const base = store(head, lease.epoch, decide(othersAfter(head, othersSeq)));
    return { base, pendingControl: head.pendingControl };
  }

  async append(lease: Lease, { events }: Append): Promise<Appended> {
    await turn();
    const head = this.held(lease);
    const base = store(head, lease.epoch, events);
    head.leaseUntilMs = performance.now() + LEASE_MS;
    return { base, pendingControl: head.pendingControl };
  }

  async snapshot(lease: Lease, seq: number, state: string): Promise<void> {
    await turn();
    const head = this.runs.held(lease);
    if (head && seq > (head.snapshot?.seq ?? 0)) head.snapshot = { seq, state };
  }

  async release(lease: Lease, { events, slot, wakeAt, state, expectedSeq }: Release): Promise<Released> {
    await turn();
    const head = this.held(lease);
    const { pendingControl } = head;
    const isFulfilled = pendingControl === null || (pendingControl === 'pause' && events.some(isPaused));
    const isCurrent = expectedSeq === undefined || expectedSeq === head.log.length + 1;
    if (slot !== 'none' && !(isFulfilled && isCurrent)) return { released: false, pendingControl };
    store(head, lease.epoch, events);
    Object.assign(head, { slot, wakeAt, owner: null, leaseUntilMs: null });
    head.pendingControl = null;
    if (state !== null) head.snapshot = { seq: head.log.length, state };
    this.runs.promote();
    return { released: true };
  }

  async giveUp(lease: Lease, { kind, cause, hasGotOn }: DriveFault): Promise<GivenUp> {
    await turn();
    const head = this.held(lease);
    const before = head.faults?.epoch === lease.epoch - 1 && !hasGotOn ? head.faults : null;
    const defects = (before?.defects ?? 0) + (kind === 'defect' ? 1 : 0);
    if (head.pendingControl === 'cancel') return { givenUp: false, because: 'cancel' };
    if (kind === 'defect' && defects >= MAX_DEFECTS) return { givenUp: false, because: 'defects' };
    const failures = before?.failures ?? 0;
    if (failures === 0) {
      const properties = { level: 'warn', code: 'drive_deferred', message: cause } as const;
      store(head, lease.epoch, [stamp({ event: 'run.notice', properties }, Date.now())]);
    }
    const waitMs = Math.min(20, 2 ** failures) * 1_000;
    Object.assign(head, { slot: 'parked', wakeAt: Date.now() + waitMs, owner: null, leaseUntilMs: null });
    head.faults = { epoch: lease.epoch, failures: failures + 1, defects, cause };
    this.runs.promote();
    return { givenUp: true };
  }

  async quarantine(lease: Lease, cause: string): Promise<void> {
    await turn();
    const head = this.held(lease);
    Object.assign(head, { slot: 'none', wakeAt: null, owner: null, leaseUntilMs: null, isDead: true });
    head.faults = { failures: 0, defects: 0, ...head.faults, epoch: lease.epoch, cause };
    this.runs.promote();
  }

  async renew(_owner: string, leases: readonly Lease[]): Promise<Map<Lease, Renewed>> {
    await turn();
    const renewed = new Map<Lease, Renewed>();
    for (const lease of leases) {
      const head = this.runs.held(lease);
      if (!head) continue;
      head.leaseUntilMs = performance.now() + LEASE_MS;
      renewed.set(lease, { pendingControl: head.pendingControl, lastSeq: head.log.length });
    }
    return renewed;
  }

  private held(lease: Lease): Head {
    const head = this.runs.held(lease);
    if (!head) throw new LeaseLostError(lease);
    return head;
  }
}

function isSuspect(lostEpochs: number): boolean {
  return lostEpochs >= SUSPECT_EPOCHS && lostEpochs < POISON_EPOCHS;
}

/** As the next claim will count them. */
function lostEpochs(head: Head): number {
  return head.epochsWithoutProgress + (wasLost(head) && !head.isBlameless ? 1 : 0);
}

/** A lease that was given back is null. */
function wasLost({ leaseUntilMs }: Head): boolean {
  return leaseUntilMs !== null;
}

function othersAfter(head: Head, seq: number): StoredState['tail'] {
  const others = head.log.filter(({ epoch, envelope }) => epoch === null && envelope.seq > seq);
  return others.map(({ envelope }) => structuredClone(envelope));
}

function isPaused({ event }: StampedEvent): boolean {
  return event === 'run.paused';
}

/** All or none; returns the seq of the first. */
function store(head: Head, epoch: number | null, events: readonly StampedEvent[]): number {
  const base = head.log.length + 1;
  const envelopes = events.map((event, i) => decodeEvent(base + i, storable(head, event)));
  head.view = envelopes.reduce(applyToRunView, head.view);
  if (isProgress(events)) head.epochsWithoutProgress = 0;
  head.log.push(...envelopes.map((envelope) => ({ epoch, envelope })));
  return base;
}

function storable(head: Head, event: StampedEvent): string {
  if (Number.isNaN(Date.parse(event.ts))) throw new RangeError(`"${event.ts}" is not a time.`);
  return encodeEvent(head.runId, event).body;
}

function isOver({ view, isDead }: Head): boolean {
  return isDead || isTerminal(view.status.kind) || view.status.kind === 'removing';
}

/** Others get their turn first, as they do while a statement is on its way. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function keyOf({ tenantId, runId }: RunKey): string {
  return `${tenantId} ${runId}`;
}
