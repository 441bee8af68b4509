import { createServer, type Socket } from 'node:net';
import { lineSplitter, toLine, type RunnerReply, type Numbered, type Request } from './protocol.js';
import { type Runner } from './runner.js';

const IDLE_MS = 10_000;

/** Speaks the protocol with every client that connects, and finds out when the runner is of no more use. */
export class RunnerServer {
  private readonly connections = new Set<Socket>();
  private readonly server = createServer((socket) => this.connect(socket));
  private idleTimer?: NodeJS.Timeout;
  private isShutDown = false;

  constructor(
    private readonly runner: Runner,
    private readonly leave: () => void,
  ) {}

  listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(path, () => {
        this.watchUse();
        resolve();
      });
    });
  }

  private connect(socket: Socket): void {
    this.connections.add(socket);
    clearTimeout(this.idleTimer);
    socket.setEncoding('utf8');
    socket.on(
      'data',
      lineSplitter((line) => void this.serve(line, socket)),
    );
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.connections.delete(socket);
      this.watchUse();
    });
  }

  private async serve(line: string, socket: Socket): Promise<void> {
    const message = read(line);
    if (!message) return void socket.destroy();

    const { id, ...request } = message;
    const answer = (text: RunnerReply) => {
      if (id !== 0 && socket.writable) socket.write(toLine({ ...text, id }));
    };
    const onOutput = (bytes: number) => answer({ kind: 'output', bytes });
    answer(await this.runner.serve(request, { connection: socket, onOutput }));
    if (request.do === 'shutdown') this.isShutDown = true;
    this.watchUse();
  }

  /** After a shutdown the last command is the last use; a runner whose worker died waits for one that takes over. */
  private watchUse(): void {
    clearTimeout(this.idleTimer);
    if (this.runner.commandsLeft > 0) return;
    if (this.isShutDown) setImmediate(this.leave);
    else if (this.connections.size === 0) this.idleTimer = setTimeout(() => this.leaveIfIdle(), IDLE_MS);
  }

  private leaveIfIdle(): void {
    if (this.runner.commandsLeft === 0 && this.connections.size === 0) this.leave();
  }
}

/** A line that is no request ends the connection: whoever wrote it speaks another version of the protocol. */
function read(line: string): Numbered<Request> | undefined {
  try {
    return JSON.parse(line) as Numbered<Request>;
  } catch {
    return undefined;
  }
}
