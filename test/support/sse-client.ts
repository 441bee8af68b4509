import { connect, type Socket } from 'node:net';

export interface SseOptions {
  token: string;
  lastEventId?: number;
}

interface Frame {
  id: number | undefined;
  data: string;
}

/** A client of an event stream on a bare socket: it can stop reading, and leave between any two bytes. */
export class SseClient {
  /** The frames with data that came whole. */
  readonly frames: Frame[] = [];
  /** Status line and headers, once they are here. */
  headers: string | undefined;
  /** The response had an end, and was not merely cut off. */
  isFinished = false;
  isClosed = false;
  private framed = '';
  private text = '';
  private readonly socket: Socket;

  constructor(url: string, { token, lastEventId }: SseOptions) {
    const { hostname, port, pathname, search } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.setEncoding('latin1');
    const last = lastEventId === undefined ? '' : `Last-Event-ID: ${lastEventId}\r\n`;
    this.socket.write(
      `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n${last}\r\n`,
    );
    this.socket.on('data', (chunk: string) => this.take(chunk));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.isClosed = true));
  }

  get isOver(): boolean {
    return this.isFinished || this.isClosed;
  }

  get seqs(): number[] {
    return this.frames.flatMap(({ id }) => id ?? []);
  }

  get data(): unknown[] {
    return this.frames.map(({ data }) => JSON.parse(data) as unknown);
  }

  get lastSeq(): number | undefined {
    return this.frames.at(-1)?.id;
  }

  /** Reads nothing more; what is sent fills the buffers in between. */
  stop(): void {
    this.socket.pause();
  }

  read(): void {
    this.socket.resume();
  }

  leave(): void {
    this.socket.destroy();
  }

  private take(bytes: string): void {
    this.framed += bytes;
    if (this.headers === undefined) {
      const end = this.framed.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.headers = this.framed.slice(0, end);
      this.framed = this.framed.slice(end + 4);
    }
    this.takeChunks();
    const frames = this.text.split('\n\n');
    this.text = frames.pop()!;
    for (const frame of frames) this.takeFrame(frame);
  }

  private takeChunks(): void {
    for (let at = 0; ;) {
      const lineEnd = this.framed.indexOf('\r\n', at);
      const size = lineEnd < 0 ? Infinity : parseInt(this.framed.slice(at, lineEnd), 16);
      const next = lineEnd + 2 + size + 2;
      if (next > this.framed.length) return void (this.framed = this.framed.slice(at));
      this.isFinished ||= size === 0;
      this.text += this.framed.slice(lineEnd + 2, lineEnd + 2 + size);
      at = next;
    }
  }

  private takeFrame(frame: string): void {
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    const id = /^id: (\d+)$/m.exec(frame)?.[1];
    if (data !== undefined) this.frames.push({ id: id === undefined ? undefined : Number(id), data });
  }
}
