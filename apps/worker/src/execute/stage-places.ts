export interface StageLimits {
  /** Stages of all runs of a worker that are at work at once. */
  stages: number;
  /** Of these, stages of one run. */
  stagesPerRun: number;
}

/**
 * Which stages of a worker are at work, however many branches their workflows want at once. A run that has none at work
 * may always begin one, so nobody's long stages keep another run from going on; the runs that wait for more take turns.
 */
export class StagePlaces {
  private atWork = 0;
  /** Runs of which stages wait for a place of the worker, the one that got none for longest first. */
  private readonly waiting = new Set<RunPlaces>();

  constructor(private readonly limits: StageLimits) {}

  /** The places of one run, as long as the worker drives it. */
  ofRun(): RunPlaces {
    return new RunPlaces(this);
  }

  mayBegin(run: RunPlaces): boolean {
    const { stages, stagesPerRun } = this.limits;
    return run.atWork === 0 || (run.atWork < stagesPerRun && this.atWork < stages);
  }

  began(): void {
    this.atWork++;
  }

  ended(): void {
    this.atWork--;
    for (const run of this.waiting) this.serve(run);
  }

  /** Puts a run behind the others that wait, as long as stages of it do. */
  queue(run: RunPlaces): void {
    this.waiting.delete(run);
    if (run.areWaiting) this.waiting.add(run);
  }

  private serve(run: RunPlaces): void {
    if (!this.mayBegin(run)) return;
    run.beginNext();
    this.queue(run);
  }
}

export class RunPlaces {
  atWork = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly all: StagePlaces) {}

  get areWaiting(): boolean {
    return this.waiting.size > 0;
  }

  /** Resolves with what gives the place back. Rejects with the reason of the signal once that aborts. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.areWaiting || !this.all.mayBegin(this)) await this.turn(signal);
    else this.begin();
    return () => {
      this.atWork--;
      this.all.ended();
    };
  }

  beginNext(): void {
    const [next] = this.waiting;
    if (!next) return;
    this.waiting.delete(next);
    this.begin();
    next();
  }

  private begin(): void {
    this.atWork++;
    this.all.began();
  }

  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(grant);
        this.all.queue(this);
        reject(signal.reason as Error);
      };
      const grant = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.add(grant);
      if (this.waiting.size === 1) this.all.queue(this);
    });
  }
}
