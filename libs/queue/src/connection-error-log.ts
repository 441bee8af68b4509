import { messageOf } from '#libs/kernel';

/** Where an adapter reports what it survived. pino's loggers fit. */
export interface WarningLog {
  warn(fields: Record<string, unknown>, sentence: string): void;
}

const REPEAT_MS = 30_000;

/**
 * Reports connection errors. Every connection of an absent server fails every two seconds, so the same message is
 * logged at most twice a minute.
 */
export class ConnectionErrorLog {
  private readonly loggedAt = new Map<string, number>();

  constructor(private readonly log: WarningLog) {}

  add(error: unknown, sentence: string): void {
    const message = messageOf(error);
    const key = `${sentence} ${message}`;
    const now = performance.now();
    if (now - (this.loggedAt.get(key) ?? -Infinity) < REPEAT_MS) return;

    if (this.loggedAt.size >= 100) this.loggedAt.clear();
    this.loggedAt.set(key, now);
    this.log.warn({ error: message }, sentence);
  }
}
