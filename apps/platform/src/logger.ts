import type { LoggerService } from '@nestjs/common';
import pino, { type Logger } from 'pino';

export type { Logger };

/** Structured log on standard error: a line is a fixed sentence, its values are fields. */
export function createLogger(level: string, service: string): Logger {
  const options = { level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, pino.destination({ dest: 2, sync: false }));
}

/** What Nest wants to say, in our log. */
export function nestLogger(log: Logger): LoggerService {
  return {
    log: (message: unknown) => log.debug({ nest: message }, 'Nest speaks.'),
    warn: (message: unknown) => log.warn({ nest: message }, 'Nest warns.'),
    error: (message: unknown, stack?: unknown) => log.error({ nest: message, stack }, 'Nest reports an error.'),
  };
}
