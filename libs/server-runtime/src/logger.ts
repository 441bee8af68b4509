import type { LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Logger } from 'pino';

export type { Logger };

/**
 * Structured log, on standard error unless it goes elsewhere: a line is a fixed sentence, its values are fields. Whoever
 * works at one request or one run writes through a child that is bound to it, so no line has to say it again.
 */
export function createLogger(
  level: string,
  service: string,
  destination: DestinationStream = pino.destination({ dest: 2, sync: false }),
): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: { service }, timestamp, serializers: { error: withCauses } }, destination);
}

/** An error with its causes and without what else hangs on it: that may be a row, a request or a credential. */
function withCauses(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  return { type, message, stack };
}

/** What Nest wants to say, in our log. */
export function nestLogger(log: Logger): LoggerService {
  return {
    log: (message: unknown) => log.debug({ nest: message }, 'Nest speaks.'),
    warn: (message: unknown) => log.warn({ nest: message }, 'Nest warns.'),
    error: (message: unknown, stack?: unknown) => log.error({ nest: message, stack }, 'Nest reports an error.'),
  };
}
