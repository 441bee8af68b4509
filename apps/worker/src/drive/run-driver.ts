import { LeaseLostError, type ClaimedRun, type Control, type Step } from '#libs/engine';
import type { Logger } from '#libs/server-runtime';
import type { DriverParts } from './driver-parts.js';
import { firstStep } from './first-step.js';
import { giveUpRun } from './give-up.js';
import { Inbox } from './inbox.js';
import { end, giveBack, goOn, park } from './let-go.js';
import type { Message } from './message.js';
import { OpenRun } from './open-run.js';
import { endedUnopened } from './poison.js';
import { react } from './react.js';

/**
 * How a drive ended: the run is over, waits without a worker, was handed over, could not be gone on with for now, or belongs
 * to somebody else.
 */
export type DriveEnd = 'ended' | 'parked' | 'handed_over' | 'given_up' | 'lost';

/** Waits up to this are slept through; longer ones give back worker and slot. */
const SHORT_WAIT_MS = 2_000;
/** A timer stands still while the machine sleeps, and the clock may be set: what is due is looked at again after this. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Drives one claimed run until it ends, parks, is handed over or is lost: asks the walk what happens next, appends
 * what it says, executes what it asks for. It decides nothing about the run.
 */
export class RunDriver {
  private readonly inbox = new Inbox<Message>();
  /** Absent until it was read. */
  private run: OpenRun | undefined;
  private handingOver = false;
  private ending = false;
  private hasGotOn = false;
  /** Seen between two steps, where a run that was being let go is not given back after all. */
  private isOver = false;
  private cutOff!: (reason: unknown) => void;
  /** Rejects once this worker cannot, or must not, go on; wherever the drive is just then. */
  private readonly beingCutOff = new Promise<never>((_, reject) => (this.cutOff = reject));

  constructor(
    private readonly claimed: ClaimedRun,
    private readonly parts: DriverParts,
    /** Bound to the run and its epoch. */
    private readonly log: Logger,
    /** When the lease was last known to be good, as a monotonic instant. */
    private leaseGoodAtMs: number,
  ) {}

  get lease(): ClaimedRun['lease'] {
    return this.claimed.lease;
  }

  get knownSeq(): number {
    return this.run?.writer.knownSeq ?? this.claimed.nextSeq - 1;
  }

  /** The stages that are being executed. */
  get executing(): string[] {
    return this.run?.stages.executing ?? [];
  }

  /** Never rejects: a run that cannot be gone on with is given back, with its cause. */
  async drive(): Promise<DriveEnd> {
    try {
      const end = await Promise.race([this.goThrough(), this.beingCutOff]);
      await this.run?.close();
      return end;
    } catch (thrown) {
      this.isOver = true;
      await this.run?.detach();
      if (thrown instanceof LeaseLostError) return 'lost';
      const { claimed, parts, hasGotOn, log } = this;
      return giveUpRun({ claimed, parts, hasGotOn, log }, thrown);
    }
  }

  /** The lease is good as of this monotonic instant: what runs in the sandbox may go on. */
  keepAlive(leaseGoodAtMs: number): void {
    this.leaseGoodAtMs = Math.max(this.leaseGoodAtMs, leaseGoodAtMs);
    this.run?.workspace.keepAlive(leaseGoodAtMs);
  }

  control(control: Control): void {
    // What is told at the end must not hold up a cancel.
    if (this.ending && control === 'cancel') this.run?.hooks.interrupt();
    this.inbox.put({ kind: control === 'cancel' ? 'cancel' : 'heard' });
  }

  /** Others appended to the log: an answer, a wish, a title. */
  hear(): void {
    this.inbox.put({ kind: 'heard' });
  }

  /**
   * The lease is gone: writes nothing more and follows nothing more, at once. What works in the sandbox is left to the
   * next epoch and to its runner. A run that is being let go stands as the store has it.
   */
  lose(): void {
    this.isOver = true;
    if (!this.run?.writer.isLettingGo) this.cutOff(new LeaseLostError(this.lease));
  }

  /** Gives the run back at the next safe point. */
  handOver(): void {
    this.handingOver = true;
    this.inbox.put({ kind: 'hand_over' });
  }

  private async goThrough(): Promise<DriveEnd> {
    this.parts.failpoints.reach('run_claimed');
    if (await endedUnopened(this.claimed, this.parts)) return 'ended';
    const run = await this.open();
    return this.loop(run, await firstStep(run));
  }

  private async open(): Promise<OpenRun> {
    this.run = await OpenRun.open(this.claimed, this.parts, this.log, {
      told: (message) => this.inbox.put(message),
      controlled: (control) => this.control(control),
      leaseGoodAtMs: () => this.leaseGoodAtMs,
      gotOn: () => (this.hasGotOn = true),
      failed: (reason) => this.cutOff(reason),
    });
    if (this.isOver) await this.run.detach();
    return this.run;
  }

  private async loop(run: OpenRun, first: Step): Promise<DriveEnd> {
    const { walk, writer, stages, hooks } = run;
    for (let step = first; ;) {
      if (this.isOver) throw new LeaseLostError(this.lease);
      if (step.ended) {
        this.ending = true;
        await end(run, step);
        return 'ended';
      }
      stages.interruptStages(step.stop);
      hooks.interrupt(step.stop);
      const restMs = this.restMs(step);
      if (this.mayPark(run, step, restMs)) {
        if (await park(run, step)) return 'parked';
        step = await goOn(run, step);
        continue;
      }
      if (this.mayHandOver(run)) {
        if (await giveBack(run, step)) return 'handed_over';
        step = await goOn(run, step);
        continue;
      }
      writer.append(step.events);
      for (const work of step.work) stages.launch(work);
      for (const work of step.hooks) hooks.launch(work);
      if (step.more) {
        await writer.keepUp();
        step = await run.advance();
      } else if (step.unsettled) {
        await writer.appendLocked(() => walk.settle());
        step = await run.advance();
      } else {
        const message = await this.inbox.take(restMs === null ? null : Math.min(restMs, LOOK_AGAIN_MS));
        step = await react(run, message);
      }
    }
  }

  /** Nothing is at work, and nothing will be for a while, or ever, by itself. */
  private mayPark(run: OpenRun, step: Step, restMs: number | null): boolean {
    const isAtRest = step.work.length === 0 && run.isIdle && step.quiet && !step.more && !step.unsettled;
    const isPausing = run.walk.state.pause === 'requested';
    return isAtRest && (isPausing || restMs === null || restMs > SHORT_WAIT_MS);
  }

  /** A run that is to pause parks instead: it is not let go otherwise. */
  private mayHandOver(run: OpenRun): boolean {
    return this.handingOver && run.isIdle && run.walk.state.pause !== 'requested';
  }

  private restMs({ wakeAt }: Step): number | null {
    return wakeAt === null ? null : Math.max(0, wakeAt - this.parts.clock.now());
  }
}
