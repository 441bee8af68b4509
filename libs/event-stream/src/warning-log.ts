/** Where an adapter reports what it survived. pino's loggers fit. */
export interface WarningLog {
  warn(fields: Record<string, unknown>, sentence: string): void;
}
