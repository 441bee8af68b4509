import type { ClaimedRun, Lease, Release, RunKey } from '#libs/engine';
import type { RunLedger, Slots } from '#libs/persistence';
import type { Dice } from '../chaos/dice.js';
import { aNotice, anEvent, theEnd } from '../support/run-database.js';
import { keyOf, promotedBetween, type Board, type Head } from './heads.js';
import { claimFaults, holdFaults, roundFaults, Shares, stepFaults, type Claimed } from './judgement.js';
import { drop, underLease, type Site, type Worker } from './site.js';

const running = anEvent({ event: 'run.running', properties: {} });
const paused = anEvent({ event: 'run.paused', properties: {} });
const unpaused = anEvent({ event: 'run.unpaused', properties: {} });
/** Longer than a lease, and than any moment for which a run of these worlds is parked. */
const LONG_MS = 120_000;

/** What a claim gave, where any run could have answered it. */
type AnyClaim = Omit<Claimed, 'since'>;

export type Move = () => Promise<AnyClaim | 'round' | void>;

/**
 * Some processes around one board. Each move is one that a real process makes; after it the board is judged. What is
 * found wrong is in `faults`.
 */
export class World {
  readonly faults: string[] = [];
  readonly workers: Worker[];
  /** Leases of workers that died, or that think they hold what they have lost. */
  readonly zombies: { worker: Worker; lease: Lease }[] = [];
  board: Board = { heads: new Map(), limit: 0, tenantLimits: new Map() };
  private readonly ledger: RunLedger;
  private readonly rounds: Slots[];
  private readonly shares = new Shares();
  private readonly since = new Map<string, { step: number; wasClaimed: boolean }>();
  private readonly epochs = new Map<string, number>();
  /** By the moves of this step. */
  private readonly claimed: { key: string; epoch: number }[] = [];
  private steps = 0;

  constructor(
    readonly site: Site,
    readonly dice: Dice,
  ) {
    this.ledger = site.ledger(dice);
    this.rounds = [site.slots(dice), site.slots(dice)];
    this.workers = [1, 2, 3].map((slots) => site.worker(dice, slots));
  }

  /** Makes moves, together where there are several, and judges what they did. */
  async step(...moves: Move[]): Promise<void> {
    const before = this.board;
    this.claimed.length = 0;
    const [result] = await Promise.all(moves.map((move) => move()));
    const after = (this.board = await this.site.board());
    const isAlone = moves.length === 1;
    this.faults.push(...stepFaults(before, after, isAlone));
    this.faults.push(
      ...holdFaults(
        before,
        this.claimed.map(({ key }) => key),
        isAlone,
      ),
    );
    if (isAlone) this.faults.push(...this.shares.after(before, after));
    for (const head of promotedBetween(before, after)) {
      this.since.set(keyOf(head), { step: this.steps, wasClaimed: false });
    }
    if (isAlone && result === 'round') this.faults.push(...roundFaults(after));
    else if (isAlone && result)
      this.faults.push(...claimFaults(before, after, { ...(result as AnyClaim), since: this.since }));
    for (const { key, epoch } of this.claimed) {
      this.since.set(key, { step: this.since.get(key)?.step ?? 0, wasClaimed: true });
      this.epochs.set(key, epoch);
    }
    this.steps++;
  }

  start(tenant: string, count: number): Promise<void> {
    return this.site.starts(this.ledger, tenant, count);
  }

  async round(): Promise<'round'> {
    const slots = this.dice.oneOf(this.rounds);
    await slots.expireLeases();
    await slots.wakeAndPromote();
    return 'round';
  }

  async claimAny(worker: Worker): Promise<AnyClaim | void> {
    const limit = worker.slots - worker.leases.length;
    if (limit <= 0) return;
    const claimed = await worker.store.claim(worker.name, limit);
    this.take(worker, claimed);
    return { limit, runs: claimed.map(({ lease }) => keyOf(lease)) };
  }

  async claimHinted(worker: Worker, hints: readonly RunKey[]): Promise<void> {
    const limit = worker.slots - worker.leases.length;
    if (limit <= 0 || hints.length === 0) return;
    const claimed = await worker.store.claim(worker.name, limit, hints);
    this.take(worker, claimed);
  }

  async append(worker: Worker, lease: Lease): Promise<void> {
    if (await underLease(worker.store.append(lease, { events: [aNotice('at work')] }))) this.wrote(lease);
    else drop(worker, lease);
  }

  async renew(worker: Worker): Promise<void> {
    if (worker.leases.length === 0) return;
    const renewed = await worker.store.renew(worker.name, worker.leases);
    for (const lease of worker.leases) if (renewed.has(lease)) this.wrote(lease);
    worker.leases = worker.leases.filter((lease) => renewed.has(lease));
  }

  park(worker: Worker, lease: Lease, inMs: number | null): Promise<void> {
    const wakeAt = inMs === null ? null : Date.now() + inMs;
    return this.release(worker, lease, { events: [running], slot: 'parked', wakeAt, state: null });
  }

  handOver(worker: Worker, lease: Lease): Promise<void> {
    return this.release(worker, lease, { events: [running], slot: 'queued', wakeAt: null, state: null });
  }

  end(worker: Worker, lease: Lease): Promise<void> {
    return this.release(worker, lease, { events: [theEnd()], slot: 'none', wakeAt: null, state: null });
  }

  /** A worker dies, once. Another one takes its place. */
  async die(worker: Worker): Promise<void> {
    const place = this.workers.indexOf(worker);
    if (place === -1) return;
    this.workers[place] = this.site.worker(this.dice, worker.slots);
    for (const lease of worker.leases) this.zombies.push({ worker, lease });
    await this.site.buries(worker);
  }

  async reap(): Promise<void> {
    await this.site.reaper.look();
  }

  passes(ms: number): Promise<void> {
    return this.site.passes(ms);
  }

  limit(runs: number): Promise<void> {
    return this.site.limit(runs);
  }

  /** Somebody answers what a parked run asks. */
  answer(run: RunKey): Promise<void> {
    return this.ledger.changeBy(run, async ({ slot, status }) =>
      slot === 'parked' && status !== 'paused' ? { events: [aNotice('answered')], slot: 'queued', wakeAt: null } : null,
    );
  }

  pause(run: RunKey): Promise<void> {
    return this.ledger.changeBy(run, async ({ slot, status }) => {
      if (status === 'paused') return null;
      if (slot === 'held') return { events: [aNotice('pause')], pendingControl: 'pause' };
      return { events: [paused], slot: 'parked', wakeAt: null };
    });
  }

  unpause(run: RunKey): Promise<void> {
    return this.ledger.changeBy(run, async ({ status }) =>
      status === 'paused' ? { events: [unpaused], slot: 'queued', wakeAt: null } : null,
    );
  }

  /** Ends a run that nobody holds. */
  cancel(run: RunKey): Promise<void> {
    return this.ledger.changeBy(run, async ({ slot }) =>
      slot === 'queued' || slot === 'parked' ? { events: [theEnd()], slot: 'none', wakeAt: null } : null,
    );
  }

  /** Nothing disturbs anybody any more: every run comes to its end, or it was forgotten. */
  async drain(): Promise<void> {
    const last = this.site.worker(this.dice, 100);
    for (
      let rounds = this.board.heads.size + 3;
      rounds > 0 && this.board.heads.size > 0 && this.faults.length === 0;
      rounds--
    ) {
      await this.step(() => this.passes(LONG_MS));
      const waiting = [...this.board.heads.values()].flatMap((head) => this.waking(head) ?? []);
      if (waiting.length > 0) await this.step(...waiting);
      await this.step(() => this.round());
      await this.step(() => this.claimAny(last));
      if (last.leases.length > 0) await this.step(...last.leases.map((lease) => () => this.end(last, lease)));
    }
    if (this.faults.length > 0) return;
    for (const { runId, slot, status } of this.board.heads.values()) {
      this.faults.push(`${runId} is forgotten: ${status}, slot ${slot}`);
    }
  }

  private waking(head: Head): Move | undefined {
    if (head.status === 'paused') return () => this.unpause(head);
    return head.slot === 'parked' && !head.isDue ? () => this.answer(head) : undefined;
  }

  /** What a control request reached first is held on; a pause is heard. */
  private async release(worker: Worker, lease: Lease, release: Release): Promise<void> {
    const released = await underLease(worker.store.release(lease, release));
    if (!released) return drop(worker, lease);
    this.wrote(lease);
    if (released.released) return this.gaveBack(worker, lease);
    if (released.pendingControl !== 'pause') return;
    const pausing: Release = { events: [paused], slot: 'parked', wakeAt: null, state: null };
    if ((await underLease(worker.store.release(lease, pausing)))?.released) this.gaveBack(worker, lease);
  }

  /** If it has a slot again, it waits for a worker from now on. */
  private gaveBack(worker: Worker, lease: Lease): void {
    drop(worker, lease);
    this.since.set(keyOf(lease), { step: this.steps, wasClaimed: false });
  }

  private take(worker: Worker, claimed: readonly ClaimedRun[]): void {
    for (const { lease } of claimed) {
      const key = keyOf(lease);
      if (lease.epoch <= (this.epochs.get(key) ?? 0))
        this.faults.push(`${key}: epoch ${lease.epoch} is given out twice`);
      this.claimed.push({ key, epoch: lease.epoch });
      worker.leases.push(lease);
    }
  }

  private wrote(lease: Lease): void {
    const newest = this.epochs.get(keyOf(lease)) ?? 0;
    if (lease.epoch < newest)
      this.faults.push(`${lease.runId}: epoch ${lease.epoch} wrote after epoch ${newest} claimed it`);
  }
}
