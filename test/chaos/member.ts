import type { TestProcess } from '../support/processes.js';

/** A server process has 25 s to end its work, and 5 s to end itself. */
const END_WITHIN_MS = 30_000;

/** One process of a site, which may be killed, frozen and started again; its name and its address stay. */
export class Member {
  private process: TestProcess | undefined;
  private said = '';
  private readonly hurt = new Set<number>();
  private readonly late: string[] = [];

  constructor(
    readonly name: string,
    private readonly begin: () => Promise<TestProcess>,
  ) {}

  /** Undefined while it does not live. */
  get pid(): number | undefined {
    return this.process?.exit === undefined ? this.process?.pid : undefined;
  }

  /** All that its processes have said. */
  get output(): string {
    return this.said + (this.process?.output ?? '');
  }

  /** Its processes that were killed or frozen here, or ended otherwise than well. */
  get harmed(): ReadonlySet<number> {
    this.noteDeath();
    return this.hurt;
  }

  /** Where it did not end well when it was asked to. */
  get stopFaults(): readonly string[] {
    return this.late;
  }

  /** Resolves when it is ready for work; does nothing when it lives already. */
  async start(): Promise<void> {
    if (this.pid !== undefined) return;
    this.said = this.output;
    this.noteDeath();
    this.process = await this.begin();
  }

  async kill(): Promise<void> {
    await this.process?.kill();
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  freeze(): void {
    if (this.pid !== undefined) this.hurt.add(this.pid);
    this.process?.signal('SIGSTOP');
  }

  thaw(): void {
    this.process?.signal('SIGCONT');
  }

  /** Asks it to end, and ends it when it does not. */
  async stop(withinMs = END_WITHIN_MS): Promise<void> {
    if (this.pid !== undefined) {
      this.thaw();
      this.process!.signal('SIGTERM');
      await this.process!.gone(withinMs).catch(async () => {
        this.late.push(`${this.name}: alive ${withinMs / 1_000} s after it was asked to end`);
        await this.kill();
      });
      if (this.process!.exit === 'SIGKILL') return;
    }
    const exit = this.process?.exit ?? 0;
    if (exit !== 0) this.late.push(`${this.name}: asked to end, it ended with ${exit}`);
  }

  private noteDeath(): void {
    const exit = this.process?.exit;
    if (exit !== undefined && exit !== 0) this.hurt.add(this.process!.pid);
  }
}
