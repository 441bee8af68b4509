import { type LogChunk } from './feed.js';
import { HEARTBEAT } from './frame.js';

/** The response as an outlet sees it. */
export interface Wire {
  /** Calls back once the bytes have left this process, or never will. */
  write(bytes: Buffer, done: () => void): void;
  end(): void;
  /** Drops the connection with all that is still unsent. */
  cut(): void;
  onClose(listener: () => void): void;
}

const MAX_WAITING_BYTES = 256 * 1024;
const MAX_WAITING_EVENTS = 1_000;
/** More than this waits: there is no room for what may be dropped. */
const MAX_SPARE_BYTES = 64 * 1024;
const PATIENCE_MS = 5_000;

/**
 * Writes to one client. At most 256 KiB or 1,000 events wait for it in memory (and the piece that crosses the line);
 * a client that then makes no room within five seconds is cut off and may come back with its last event id.
 */
export class Outlet {
  closed = false;
  private waitingBytes = 0;
  private waitingEvents = 0;
  private roomMade: (() => void) | undefined;
  private closeListener: (() => void) | undefined;
  private farewell: NodeJS.Timeout | undefined;

  constructor(private readonly wire: Wire) {
    wire.onClose(() => {
      clearTimeout(this.farewell);
      this.close();
    });
  }

  /** Resolves when there is room for more, or the client is gone. */
  async send(piece: LogChunk): Promise<void> {
    if (this.closed) return;
    this.write(piece);
    if (!this.hasRoom() && !(await this.untilRoom())) this.cut();
  }

  /** Sends what may as well be dropped, and drops it when the client is slow. */
  offer(bytes: Buffer): void {
    if (!this.closed && this.waitingBytes < MAX_SPARE_BYTES) this.write({ bytes, events: 1 });
  }

  /** Shows an idle client that the connection lives. */
  beat(): void {
    if (!this.closed && this.waitingBytes === 0) this.wire.write(HEARTBEAT, () => undefined);
  }

  /** What waits is still sent, to a client that takes it within five seconds. */
  end(): void {
    if (this.closed) return;
    this.farewell = setTimeout(() => this.wire.cut(), PATIENCE_MS).unref();
    this.wire.end();
    this.close();
  }

  /** One listener at a time; a later one replaces the earlier. */
  onceClosed(listener: () => void): void {
    this.closeListener = listener;
    if (this.closed) listener();
  }

  private write({ bytes, events }: Pick<LogChunk, 'bytes' | 'events'>): void {
    this.waitingBytes += bytes.length;
    this.waitingEvents += events;
    this.wire.write(bytes, () => {
      this.waitingBytes -= bytes.length;
      this.waitingEvents -= events;
      if (this.hasRoom()) this.roomMade?.();
    });
  }

  private hasRoom(): boolean {
    return this.waitingBytes < MAX_WAITING_BYTES && this.waitingEvents < MAX_WAITING_EVENTS;
  }

  private untilRoom(): Promise<boolean> {
    return new Promise((resolve) => {
      const patience = setTimeout(() => resolve(false), PATIENCE_MS);
      this.roomMade = () => {
        clearTimeout(patience);
        this.roomMade = undefined;
        resolve(true);
      };
    });
  }

  private cut(): void {
    if (!this.closed) this.wire.cut();
    this.close();
  }

  private close(): void {
    if (this.closed) return;
    this.closed = true;
    this.roomMade?.();
    this.closeListener?.();
  }
}
