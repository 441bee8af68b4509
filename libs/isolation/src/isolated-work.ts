import { ConcurrencyLimit } from './concurrency-limit.js';
import { NoPlaceError } from './errors.js';
import type { Bounds, Program } from './program.js';
import { runInProcess } from './run-in-process.js';

export interface Limits extends Bounds {
  /** Processes at one time. */
  atOnce: number;
  /** Pieces of work that wait for one. */
  mayWait: number;
}

/** Executes work of one kind, each piece in a process of its own. */
export class IsolatedWork<Input, Output> {
  private readonly places: ConcurrencyLimit;
  private readonly closing = new AbortController();

  constructor(
    private readonly program: Program,
    private readonly limits: Limits,
  ) {
    this.places = new ConcurrencyLimit(limits.atOnce, limits.mayWait);
  }

  /**
   * What the work returns for this input. Throws {@link NoPlaceError} when too much waits already or after
   * {@link close}, {@link OverBoundsError} when it takes more time or memory than it may, {@link IsolatedWorkError} when
   * it throws. Other work goes on whatever becomes of it.
   */
  async run(input: Input): Promise<Output> {
    const { program, limits, closing } = this;
    return (await this.places.run(() => runInProcess(program, limits, input, closing.signal))) as Output;
  }

  /** Kills what is at work and refuses what waits or comes later. */
  close(): void {
    this.closing.abort(new NoPlaceError('The server is stopping. Try again in a moment.'));
  }
}
