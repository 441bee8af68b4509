import type pg from 'pg';
import { messageOf, RunyardError } from '#libs/kernel';
import { DatabaseUnusableError } from '../errors.js';

/** What to mend, by the code of the system or of PostgreSQL. */
const cures: Partial<Record<string, string>> = {
  ECONNREFUSED: 'Start PostgreSQL there, or name another place in DATABASE_URL.',
  ENOTFOUND: 'Check the host in DATABASE_URL.',
  ENOENT: 'Check the socket in DATABASE_URL.',
  '28000': 'Check the user in DATABASE_URL.',
  '28P01': 'Check the user and the password in DATABASE_URL.',
  '3D000': 'Create it, or name another one in DATABASE_URL.',
  '42501': 'Let DATABASE_URL name the owner of the database.',
  '25006': 'Let DATABASE_URL name the primary server.',
  '57P03': 'Start again when PostgreSQL is up.',
};

/** The fault of a database that a server wanted to begin with, as a sentence; an error that is one already stays. */
export function unusableDatabase({ user, host, port, database }: pg.Client, thrown: unknown): RunyardError {
  if (thrown instanceof RunyardError) return thrown;
  // A host with several addresses fails with all of their errors and no message of its own.
  const cause: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const { code = '' } = cause as { code?: string };
  const place = host.startsWith('/') ? host : `${host}:${port}`;
  return new DatabaseUnusableError(
    `The database "${database}" at ${place} cannot be used as ${user}: ${messageOf(cause)}. ${cures[code] ?? 'Check DATABASE_URL.'}`,
    { cause },
  );
}
