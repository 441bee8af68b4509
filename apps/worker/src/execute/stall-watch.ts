import { callAfter } from '#libs/kernel';

/** Tells when nothing at all happened for a while. A limit of 0 never tells. */
export class StallWatch {
  private callOff: (() => void) | undefined;
  private lastSign = performance.now();

  constructor(
    private readonly limitMs: number,
    private readonly onStall: () => void,
  ) {}

  /** Something is going on. */
  readonly alive = (): void => {
    this.lastSign = performance.now();
  };

  /** Watches from now on; a stage is being executed. */
  arm(): void {
    this.alive();
    if (this.limitMs > 0 && this.callOff === undefined) this.look(this.limitMs);
  }

  disarm(): void {
    this.callOff?.();
    this.callOff = undefined;
  }

  private look(inMs: number): void {
    this.callOff = callAfter(inMs, () => {
      const idleMs = performance.now() - this.lastSign;
      if (idleMs < this.limitMs) return this.look(this.limitMs - idleMs);
      this.callOff = undefined;
      this.onStall();
    });
  }
}
