import { RunyardError } from '#libs/kernel';

/** PostgreSQL cannot be reached, is shutting down, had no connection to give in time, or could not do it in time. */
export class DatabaseUnavailableError extends RunyardError {
  readonly kind = 'unavailable';

  constructor(cause: unknown) {
    super('The database cannot be reached right now; try again in a few seconds.', { cause });
  }
}

/** A database that a server cannot begin with. The message names it and what to mend, and never its password. */
export class DatabaseUnusableError extends RunyardError {
  override readonly code = 'database_unusable';
  readonly kind = 'unavailable';
}

/** The database was written by a newer version, or a migration that is already applied has changed. */
export class SchemaMismatchError extends RunyardError {
  override readonly code = 'schema_mismatch';
  readonly kind = 'unavailable';
}

/** The log of a run left the database while it was needed there. Whoever asks again finds where it is. */
export class LogIsColdError extends RunyardError {
  readonly kind = 'unavailable';

  constructor(runId: string) {
    super(`The log of run ${runId} was moved to the object store just now; try again.`);
  }
}

/** The object store does not have what was stored in it. */
export class LogUnreadableError extends RunyardError {
  override readonly code = 'log_unreadable';
  readonly kind = 'unavailable';

  constructor(runId: string, options?: { cause: unknown }) {
    super(`The log of run ${runId} lies in the object store and cannot be read there.`, options);
  }
}

/** What a run was made of is not stored any more. */
export class DefinitionMissingError extends RunyardError {
  override readonly code = 'definition_missing';
  readonly kind = 'missing';

  constructor(sha256: string) {
    super(
      `Definition ${sha256} is not stored. A run that was made of it cannot go on; its log can be read, and it can be cancelled and deleted.`,
    );
  }
}

const CONNECTION_FAULTS = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOENT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/**
 * Classes and codes with which PostgreSQL ends a session; 25P03 where it heard nothing within a transaction. 25006 comes
 * from a server that only reads, a standby that nobody promoted yet: the one that is meant is not there.
 */
const ENDED_SESSION = /^(08|57P0|53|25P03|25006)/;

/** Whether a fault says nothing about the statement: the connection broke, the server stopped or was full. */
export function isConnectionFault(thrown: unknown): boolean {
  const { code, message } = (thrown ?? {}) as { code?: string; message?: string };
  if (code !== undefined && (CONNECTION_FAULTS.has(code) || ENDED_SESSION.test(code))) return true;
  return /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
    message ?? '',
  );
}

/** Whether PostgreSQL, or the way there, is at fault, and not what was read from it. */
export function isDatabaseFault(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return isConnectionFault(thrown) || (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code));
}

/** Whether PostgreSQL rolled the transaction back for a reason that is gone when it is tried again. */
export function isSerializationFault(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as { code?: string };
  return code === '40001' || code === '40P01' || code === '55P03';
}

/** Whether PostgreSQL did nothing, since it had to wait for others for too long. */
export function isOverloadFault(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as { code?: string };
  return code === '57014' || isSerializationFault(thrown);
}

/** Whether an error says that one statement took too long, and nothing about the others. */
export function tookTooLong(thrown: unknown): boolean {
  const { cause } = (thrown ?? {}) as { cause?: { code?: string; message?: string } };
  return (
    thrown instanceof DatabaseUnavailableError && (cause?.code === '57014' || cause?.message === 'Query read timeout')
  );
}
