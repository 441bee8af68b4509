import { createConnection, type Socket } from 'node:net';
import { SandboxUnavailableError } from '#libs/engine';
import { callAfter } from '#libs/kernel';
import { lineSplitter, toLine, type RunnerReply, type Numbered, type Request } from '../runner/protocol.js';

/** Longer than a runner needs for anything but a command: TERM, 5 s, KILL. */
const PATIENCE_MS = 10_000;
/** And for a command that is cancelled: the same, and the file of its end. */
const CANCELLED_WITHIN_MS = 15_000;

/** The runner is there and says nothing: it is stopped, or stuck. */
export class RunnerSilentError extends SandboxUnavailableError {
  constructor() {
    super('The runner of the sandbox does not answer.');
  }
}

interface Pending {
  resolve: (answer: RunnerReply) => void;
  reject: (error: Error) => void;
  onOutput?: ((bytes: number) => void) | undefined;
}

export interface RequestOptions {
  /** How long to wait for the answer; 10 s when not given. */
  patienceMs?: number;
  onOutput?: (bytes: number) => void;
  /** What was asked for is cancelled, once it aborts: the answer is waited for 15 s more at most. */
  cancelled?: AbortSignal;
  /** Nobody waits for the answer any more, once it aborts: the request rejects, and the runner goes on with it. */
  unless?: AbortSignal;
}

/** A client of one runner process. Once it is cut it stays so, and every request fails. */
export class RunnerConnection {
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private isCut = false;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8');
    socket.on(
      'data',
      lineSplitter((line) => this.receive(line)),
    );
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.cut());
  }

  /** Rejects with the system's error when nobody listens. */
  static connect(socketPath: string): Promise<RunnerConnection> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(socketPath);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RunnerConnection(socket));
      });
    });
  }

  get isOpen(): boolean {
    return !this.isCut;
  }

  /** The answer that settles the request. A refusal, a cut and the end of patience are a {@link SandboxUnavailableError}. */
  async request(
    request: Request,
    { patienceMs = PATIENCE_MS, onOutput, cancelled, unless }: RequestOptions = {},
  ): Promise<RunnerReply> {
    if (this.isCut) throw new SandboxUnavailableError('The runner of the sandbox is gone.');
    const id = (this.lastId += 1);
    let callOff: (() => void) | undefined;
    let leave: (() => void) | undefined;
    let hurry: (() => void) | undefined;
    try {
      const answer = await new Promise<RunnerReply>((resolve, reject) => {
        this.pending.set(id, { resolve, reject, onOutput });
        this.write({ ...request, id });
        leave = () => reject(new SandboxUnavailableError('The sandbox was released.'));
        unless?.addEventListener('abort', leave, { once: true });
        if (unless?.aborted) leave();
        const giveUp = () => reject(new RunnerSilentError());
        hurry = () => {
          callOff?.();
          callOff = callAfter(Math.min(patienceMs, CANCELLED_WITHIN_MS), giveUp);
        };
        cancelled?.addEventListener('abort', hurry, { once: true });
        if (cancelled?.aborted) hurry();
        else callOff = callAfter(patienceMs, giveUp);
      });
      if (answer.kind === 'refused') throw new SandboxUnavailableError(answer.reason);
      return answer;
    } finally {
      callOff?.();
      if (leave) unless?.removeEventListener('abort', leave);
      if (hurry) cancelled?.removeEventListener('abort', hurry);
      this.pending.delete(id);
    }
  }

  /** Without an answer, and without a word when the runner is gone. */
  send(request: Request): void {
    if (!this.isCut) this.write({ ...request, id: 0 });
  }

  close(): void {
    this.socket.end();
    this.cut();
  }

  private write(message: Numbered<Request>): void {
    this.socket.write(toLine(message));
  }

  private receive(line: string): void {
    const { id, ...answer } = JSON.parse(line) as Numbered<RunnerReply>;
    const pending = this.pending.get(id);
    if (answer.kind === 'output') pending?.onOutput?.(answer.bytes);
    else pending?.resolve(answer);
  }

  private cut(): void {
    this.isCut = true;
    for (const { reject } of this.pending.values()) {
      reject(new SandboxUnavailableError('The runner of the sandbox is gone.'));
    }
  }
}
