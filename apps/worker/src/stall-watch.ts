/** Tells when nothing at all happened for a while. A limit of 0 never tells. */
export class StallWatch {
  private timer: NodeJS.Timeout | undefined;
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
    if (this.limitMs > 0 && this.timer === undefined) this.look(this.limitMs);
  }

  disarm(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private look(inMs: number): void {
    this.timer = setTimeout(() => {
      const idleMs = performance.now() - this.lastSign;
      if (idleMs < this.limitMs) return this.look(this.limitMs - idleMs);
      this.timer = undefined;
      this.onStall();
    }, inMs);
  }
}
