import { InvariantError } from '#libs/kernel';
import { type StoredEvent } from './run-log.js';
import { cutPiece, type LogChunk } from './feed.js';
import { frameOf } from './frame.js';

export const PAGE = 500;

/** The number of the page that holds an event. */
export function pageOf(seq: number): number {
  return Math.floor((seq - 1) / PAGE);
}

/** Up to 500 events of one log that stand together, from the first on. Events are only added: a log never changes. */
export class LogPage {
  readonly firstSeq: number;
  bytes = 0;
  private readonly frames: Buffer[] = [];
  /** The last piece that was cut, for the many who read from the same place. */
  private lastPiece: { from: number; piece: LogChunk } | undefined;

  constructor(index: number) {
    this.firstSeq = index * PAGE + 1;
  }

  /** The seq of the event that comes next. */
  get nextSeq(): number {
    return this.firstSeq + this.frames.length;
  }

  get missing(): number {
    return PAGE - this.frames.length;
  }

  add(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.seq !== this.nextSeq)
        throw new InvariantError(`Event ${event.seq} came where ${this.nextSeq} belongs.`);
      const frame = frameOf(event);
      this.frames.push(frame);
      this.bytes += frame.length;
    }
    this.lastPiece = undefined;
  }

  piece(from: number): LogChunk | undefined {
    if (from < this.firstSeq || from >= this.nextSeq) return undefined;
    if (this.lastPiece?.from === from) return this.lastPiece.piece;
    const piece = cutPiece(this.frames.slice(from - this.firstSeq), from);
    this.lastPiece = { from, piece };
    return piece;
  }
}
