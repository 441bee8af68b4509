import type { TestProcess } from '../support/processes.js';

/** One process of a site, which may be killed, frozen and started again; its name and its address stay. */
export class Member {
  private process: TestProcess | undefined;
  private said = '';

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

  /** Resolves when it is ready for work; does nothing when it lives already. */
  async start(): Promise<void> {
    if (this.pid !== undefined) return;
    this.said = this.output;
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
    this.process?.signal('SIGSTOP');
  }

  thaw(): void {
    this.process?.signal('SIGCONT');
  }

  /** Asks it to end, and ends it when it does not. */
  async stop(timeoutMs: number): Promise<number | NodeJS.Signals | undefined> {
    if (this.pid === undefined) return this.process?.exit;
    this.thaw();
    this.process!.signal('SIGTERM');
    return this.process!.gone(timeoutMs).catch(async () => {
      await this.kill();
      return undefined;
    });
  }
}
