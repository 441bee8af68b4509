import { type RunId } from '#libs/kernel';
import { cutPiece, type LogChunk } from './feed.js';

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_EVENTS = 4_096;

interface RingEvent {
  readonly runId: RunId;
  readonly frame: Buffer;
}

/** The newest events of many runs, in the order in which they came. Places are numbers that only grow; old ones go. */
export class EventRing {
  /** The place of the oldest event that is held. */
  first = 1;
  private events: RingEvent[] = [];
  private bytes = 0;

  /** The place that comes next. */
  get end(): number {
    return this.first + this.events.length;
  }

  add(added: readonly RingEvent[]): void {
    this.events.push(...added);
    this.bytes += added.reduce((sum, { frame }) => sum + frame.length, 0);
    let gone = 0;
    while (this.bytes > MAX_BYTES || this.events.length - gone > MAX_EVENTS) {
      this.bytes -= this.events[gone]?.frame.length ?? 0;
      gone += 1;
    }
    this.events = this.events.slice(gone);
    this.first += gone;
  }

  /** From a place that is held on, up to 500 events: those of certain runs, or all. */
  piece(from: number, only?: ReadonlySet<string>): LogChunk {
    const events = this.events.slice(from - this.first, from - this.first + 500);
    const wanted = only ? events.filter(({ runId }) => only.has(runId)) : events;
    const piece = cutPiece(
      wanted.map(({ frame }) => frame),
      from,
    );
    const lastSent = wanted[piece.events - 1];
    const isAll = piece.events === wanted.length;
    const next = isAll ? from + events.length : from + events.indexOf(lastSent!) + 1;
    return { ...piece, next };
  }
}
