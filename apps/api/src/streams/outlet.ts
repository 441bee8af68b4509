import { type Frame, HEARTBEAT } from './frame.js';

/** The response as an outlet sees it. */
export interface Wire {
  /** Calls back once the text has left this process, or never will. */
  write(text: string, done: () => void): void;
  end(): void;
  /** Drops the connection with all that is still unsent. */
  cut(): void;
  onClose(listener: () => void): void;
}

const MAX_WAITING_BYTES = 256 * 1024;
const MAX_WAITING_EVENTS = 1_000;
const CHUNK_BYTES = 64 * 1024;
const PATIENCE_MS = 5_000;

/**
 * Writes to one client. At most 256 KiB or 1,000 events wait for it in memory (and the chunk that crosses the line);
 * a client that then makes no room within five seconds is cut off and may come back with its last event id.
 */
export class Outlet {
  closed = false;
  private waitingBytes = 0;
  private waitingEvents = 0;
  private roomMade: (() => void) | undefined;
  private closeListener: (() => void) | undefined;

  constructor(private readonly wire: Wire) {
    wire.onClose(() => this.close());
  }

  /** Resolves when there is room for more. False when the client is gone: nothing more is to be sent. */
  async send(frames: readonly Frame[]): Promise<boolean> {
    for (const chunk of chunksOf(frames)) {
      if (this.closed) return false;
      this.write(chunk);
      if (!this.hasRoom() && !(await this.untilRoom())) this.cut();
    }
    return !this.closed;
  }

  /** Shows an idle client that the connection lives. */
  beat(): void {
    if (!this.closed && this.waitingBytes === 0) this.wire.write(HEARTBEAT, () => undefined);
  }

  end(): void {
    if (!this.closed) this.wire.end();
    this.close();
  }

  /** One listener at a time; a later one replaces the earlier. */
  onceClosed(listener: () => void): void {
    this.closeListener = listener;
    if (this.closed) listener();
  }

  private write(chunk: readonly Frame[]): void {
    const bytes = bytesOf(chunk);
    this.waitingBytes += bytes;
    this.waitingEvents += chunk.length;
    this.wire.write(chunk.map((frame) => frame.text).join(''), () => {
      this.waitingBytes -= bytes;
      this.waitingEvents -= chunk.length;
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

function* chunksOf(frames: readonly Frame[]): Generator<readonly Frame[]> {
  let chunk: Frame[] = [];
  for (const frame of frames) {
    chunk.push(frame);
    if (bytesOf(chunk) < CHUNK_BYTES) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

function bytesOf(frames: readonly Frame[]): number {
  return frames.reduce((sum, { bytes }) => sum + bytes, 0);
}
