import { type EventNotice, type EventNotices } from '#libs/engine';
import { type RunId, RunyardError, type TenantId } from '#libs/kernel';
import { Changes } from './changes.js';
import { EventRing } from './event-ring.js';
import { type Feed, type Look, NOTHING, FEED_IS_OVER } from './feed.js';
import { frameWithoutId } from './frame.js';
import { PAGE } from './log-page.js';
import { type LogReading } from './run-pages.js';

const LOOK_ANYWAY_MS = 5_000;
/** Runs whose place is remembered: those that changed last. */
const MAX_RUNS = 1_000;

/** How much of one log was read, and how far it is known to reach. */
interface Progress {
  /** Which run with this id it is of, as soon as somebody looked. */
  bornAt: string | undefined;
  nextSeq: number;
  reach: number;
  isReading: boolean;
  ended: boolean;
}

/**
 * The events of all runs of a tenant as they happen, for all who follow them; places are those of a ring. The events of
 * one run are in order and without a gap from the first one that was heard of; runs are in no order among each other. It
 * is over for a reader whom the ring has overtaken: nobody waits for the slow, and nothing is kept for who comes later.
 */
export class TenantFeed {
  private readonly changes = new Changes();
  private readonly ring = new EventRing();
  private readonly runs = new Map<RunId, Progress>();
  private readonly timer: NodeJS.Timeout;
  private readonly unsubscribe: () => void;
  private stopped = false;

  constructor(
    private readonly reading: LogReading,
    notices: EventNotices,
    private readonly tenantId: TenantId,
  ) {
    const missed = (): void => this.lookAnyway();
    this.unsubscribe = notices.subscribeAll(tenantId, (notice) => this.hear(notice), missed);
    this.timer = setInterval(missed, LOOK_ANYWAY_MS);
  }

  /** Where somebody begins who comes now. */
  get end(): number {
    return this.ring.end;
  }

  /** The events of certain runs, or of all. */
  of(only?: ReadonlySet<string>): Feed {
    return {
      now: () => this.changes.now(),
      afterChange: (mark, wake) => this.changes.after(mark, wake),
      look: async (from): Promise<Look> => {
        if (from < this.ring.first) return FEED_IS_OVER;
        if (from >= this.ring.end) return NOTHING;
        return { kind: 'piece', piece: this.ring.piece(from, only) };
      },
    };
  }

  stop(): void {
    this.stopped = true;
    this.unsubscribe();
    clearInterval(this.timer);
  }

  private hear({ runId, fromSeq, toSeq }: EventNotice): void {
    const known = this.runs.get(runId);
    const run = known ?? { bornAt: undefined, nextSeq: fromSeq, reach: 0, isReading: false, ended: false };
    this.runs.delete(runId);
    this.runs.set(runId, run);
    const [oldest] = this.runs.keys();
    if (this.runs.size > MAX_RUNS && oldest !== undefined) this.runs.delete(oldest);
    // A log that begins again is that of another run with this id, or the notice came late.
    const beginsAgain = fromSeq === 1 && run.nextSeq > 1;
    if (!beginsAgain) this.reachesTo(runId, run, toSeq);
    if (beginsAgain || !known) this.look(runId, run);
  }

  private reachesTo(runId: RunId, run: Progress, seq: number): void {
    run.reach = Math.max(run.reach, seq);
    // What cannot be read now is read after the next notice of this run, or at the next look.
    if (!run.isReading) this.readOn(runId, run).catch((thrown: unknown) => this.settle(runId, thrown));
  }

  private async readOn(runId: RunId, run: Progress): Promise<void> {
    const { log, limit: atOnce } = this.reading;
    run.isReading = true;
    try {
      while (run.nextSeq <= run.reach && !this.stopped) {
        const limit = Math.min(PAGE, run.reach - run.nextSeq + 1);
        const events = await atOnce(() => log.read(this.tenantId, runId, run.nextSeq, limit, run.bornAt));
        if (events.length === 0) return;
        run.nextSeq += events.length;
        run.ended = events.some(({ terminal }) => terminal);
        this.ring.add(events.map(({ json }) => ({ runId, frame: frameWithoutId(json) })));
        this.changes.tell();
      }
    } finally {
      run.isReading = false;
    }
  }

  /** Asks how far the logs of the runs reach that go on: a notice may have been lost. */
  private lookAnyway(): void {
    for (const [runId, run] of this.runs) if (!run.ended) this.look(runId, run);
  }

  private look(runId: RunId, run: Progress): void {
    this.reading.log.head(this.tenantId, runId).then(
      ({ bornAt, lastSeq }) => {
        const isAnother = run.bornAt === undefined ? run.ended : run.bornAt !== bornAt;
        if (isAnother)
          this.beginAgain(runId, { bornAt, nextSeq: 1, reach: 0, isReading: false, ended: false }, lastSeq);
        else this.reachesTo(runId, Object.assign(run, { bornAt }), lastSeq);
      },
      (thrown: unknown) => this.settle(runId, thrown),
    );
  }

  private beginAgain(runId: RunId, run: Progress, lastSeq: number): void {
    this.runs.set(runId, run);
    this.reachesTo(runId, run, lastSeq);
  }

  /** A run that was removed is forgotten. */
  private settle(runId: RunId, thrown: unknown): void {
    if (thrown instanceof RunyardError && thrown.kind === 'missing') this.runs.delete(runId);
  }
}
