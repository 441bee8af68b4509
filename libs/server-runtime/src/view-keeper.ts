import type { RunKey } from '#libs/engine';
import { messageOf } from '#libs/kernel';
import type { RunViews } from '#libs/persistence';
import type { Logger } from './logger.js';

const REST_MS = 500;
const MAX_RUNS = 100;

/** Keeps the read models of runs that grow in this process less than a second behind, many runs in one go. */
export class ViewKeeper {
  private readonly grown = new Map<string, RunKey>();
  private timer: NodeJS.Timeout | undefined;
  private underway: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly views: RunViews,
    private readonly log: Logger,
  ) {}

  readonly note = ({ tenantId, runId }: RunKey): void => {
    this.grown.set(`${tenantId} ${runId}`, { tenantId, runId });
    if (this.closed) return;
    this.timer ??= setTimeout(() => {
      this.underway = this.catchUp();
    }, REST_MS).unref();
  };

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.underway;
  }

  private async catchUp(): Promise<void> {
    try {
      while (this.grown.size > 0 && !this.closed) {
        const keys = [...this.grown.keys()].slice(0, MAX_RUNS);
        const runs = keys.map((key) => this.grown.get(key)!);
        for (const key of keys) this.grown.delete(key);
        await this.views.catchUp(runs);
      }
    } catch (thrown) {
      this.log.warn({ error: messageOf(thrown) }, 'Read models fell behind; the next reader brings them up to date.');
    } finally {
      this.timer = undefined;
    }
  }
}
