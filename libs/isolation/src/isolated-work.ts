import { ConcurrencyLimit } from './concurrency-limit.js';
import { NoPlaceError } from './errors.js';
import { IsolatedProcess } from './isolated-process.js';
import type { Bounds, Program } from './program.js';

export interface Limits extends Bounds {
  /** Processes at one time. */
  atOnce: number;
  /** Pieces of work that wait for one, of each who brings some. */
  mayWait: number;
  /**
   * How long a process waits for the next piece of work. With 0 each has a process of its own, which is right for work that
   * leaves something behind; a start takes some tenths of a second.
   */
  idleMs: number;
}

/** Executes work of one kind in processes of its own. */
export class IsolatedWork<Input, Output> {
  private readonly places: ConcurrencyLimit;
  private readonly closing = new AbortController();
  private readonly idle = new Map<IsolatedProcess, NodeJS.Timeout>();

  constructor(
    private readonly program: Program,
    private readonly limits: Limits,
  ) {
    this.places = new ConcurrencyLimit(limits.atOnce, limits.mayWait);
  }

  /**
   * What the work returns for this input. Throws {@link NoPlaceError} when too much waits already or after
   * {@link close}, {@link OverBoundsError} when it takes more time or memory than it may, {@link IsolatedWorkError} when
   * it throws. Other work goes on whatever becomes of it: a process in which work failed does no more. Where work
   * waits, each `who` has a turn.
   */
  async run(input: Input, who?: string): Promise<Output> {
    return (await this.places.run(() => this.runInProcess(input), who)) as Output;
  }

  /** Kills what is at work or idle and refuses what waits or comes later. */
  close(): void {
    this.closing.abort(new NoPlaceError('The server is stopping. Try again in a moment.'));
    for (const process of this.idle.keys()) this.drop(process);
  }

  private async runInProcess(input: Input): Promise<unknown> {
    this.closing.signal.throwIfAborted();
    const process = this.idleProcess() ?? new IsolatedProcess(this.program, this.limits);
    let isReusable = false;
    try {
      const output = await process.run(input, this.closing.signal);
      isReusable = this.limits.idleMs > 0 && process.isAlive && !this.closing.signal.aborted;
      return output;
    } finally {
      if (isReusable) this.keep(process);
      else await process.end();
    }
  }

  private idleProcess(): IsolatedProcess | undefined {
    for (const [process, timer] of this.idle) {
      clearTimeout(timer);
      this.idle.delete(process);
      if (!process.isAlive) continue;
      process.holdParent(true);
      return process;
    }
    return undefined;
  }

  private keep(process: IsolatedProcess): void {
    process.holdParent(false);
    this.idle.set(process, setTimeout(() => this.drop(process), this.limits.idleMs).unref());
  }

  private drop(process: IsolatedProcess): void {
    clearTimeout(this.idle.get(process));
    this.idle.delete(process);
    void process.end();
  }
}
