import { RunyardError } from '#libs/kernel';

/** Somebody waited for notices of a process that is shutting down. */
export class NoticesClosedError extends RunyardError {
  readonly kind = 'unavailable';

  constructor() {
    super('Live notices are shut down.');
  }
}

interface Waiter {
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Whether the connection stands: those who ask wait until it does. */
export class ConnectionState {
  private state: 'shut' | 'open' | 'closed' = 'shut';
  private waiters: Waiter[] = [];

  get isOpen(): boolean {
    return this.state === 'open';
  }

  get isClosed(): boolean {
    return this.state === 'closed';
  }

  open(): void {
    if (this.state === 'closed') return;
    this.state = 'open';
    this.waiters.splice(0).forEach(({ resolve }) => resolve());
  }

  shut(): void {
    if (this.state === 'open') this.state = 'shut';
  }

  /** For good: whoever waits, now or later, is refused. */
  close(): void {
    this.state = 'closed';
    this.waiters.splice(0).forEach(({ reject }) => reject(new NoticesClosedError()));
  }

  async opened(): Promise<void> {
    if (this.state === 'open') return;
    if (this.state === 'closed') throw new NoticesClosedError();
    await new Promise<void>((resolve, reject) => this.waiters.push({ resolve, reject }));
  }
}
