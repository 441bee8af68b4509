import { monotonicMs } from '#libs/kernel';
import { RunBell, type RunHint } from '#libs/scheduling';

interface Listener {
  free: number;
  heard(): void;
  hear(hint: RunHint): Promise<void>;
}

/** The queue that several bells of one process share, as several processes share a server. */
export class InMemoryHintQueue {
  private readonly waiting = new Map<string, RunHint>();
  private readonly listeners = new Set<Listener>();

  add(hints: readonly RunHint[]): void {
    for (const hint of hints) this.waiting.set(`${hint.tenantId} ${hint.runId} ${hint.epoch}`, hint);
    this.deliver();
  }

  attach(listener: Listener): () => void {
    this.listeners.add(listener);
    this.deliver();
    return () => this.listeners.delete(listener);
  }

  /** Whether somebody hears a probe. */
  probe(): boolean {
    const listener = [...this.listeners].find(({ free }) => free > 0);
    listener?.heard();
    return listener !== undefined;
  }

  private deliver(): void {
    for (const [key, hint] of this.waiting) {
      const listener = [...this.listeners].find(({ free }) => free > 0);
      if (!listener) return;
      this.waiting.delete(key);
      listener.free -= 1;
      listener.heard();
      void listener.hear(hint).finally(() => {
        listener.free += 1;
        this.deliver();
      });
    }
  }
}

export class InMemoryRunBell extends RunBell {
  private readonly stops = new Set<() => Promise<void>>();
  private heardAtMs = -Infinity;

  constructor(private readonly queue = new InMemoryHintQueue()) {
    super();
  }

  async ring(hints: readonly RunHint[]): Promise<void> {
    this.queue.add(hints);
  }

  async listen(concurrency: number, handler: (hint: RunHint) => Promise<void>): Promise<() => Promise<void>> {
    const underWay = new Set<Promise<void>>();
    const detach = this.queue.attach({
      free: concurrency,
      heard: () => (this.heardAtMs = monotonicMs()),
      hear(hint) {
        const handling = Promise.resolve()
          .then(() => handler(hint))
          .catch(() => undefined);
        underWay.add(handling);
        return handling.finally(() => underWay.delete(handling));
      },
    });
    const stop = async () => {
      detach();
      this.stops.delete(stop);
      await Promise.all(underWay);
    };
    this.stops.add(stop);
    return stop;
  }

  async roundTrip(): Promise<boolean> {
    return this.queue.probe();
  }

  heardAgoMs(): number | null {
    return this.stops.size === 0 ? null : monotonicMs() - this.heardAtMs;
  }

  async close(): Promise<void> {
    await Promise.all([...this.stops].map((stop) => stop()));
  }
}
