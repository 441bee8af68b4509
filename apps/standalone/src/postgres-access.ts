import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readIfThere } from '#libs/config';
import { FIRST_USER_OID } from './data-directory.js';

/** The role as which the server signs in: the owner of its database, and nothing more in the cluster. */
export const ROLE = 'runyard';
export const DATABASE = 'runyard';

/** Nobody else signs in, not even the superuser of the cluster: what needs one is done while no server runs. */
const HOST_RULES = `# Written by Runyard. Only the server's own role comes in, and proves itself.
local ${DATABASE} ${ROLE} scram-sha-256
`;

/** Beside the data, for its owner only: who can read it could read the data as well. */
const secretFile = (dataDirectory: string): string => path.join(path.dirname(dataDirectory), 'database.secret');

/** The password of {@link ROLE}; undefined where none was set yet. */
export async function readSecret(dataDirectory: string): Promise<string | undefined> {
  return (await readIfThere(secretFile(dataDirectory)))?.trim() || undefined;
}

export function makeSecret(): string {
  return randomBytes(32).toString('hex');
}

/** Says that the role has this password and all that is its own: what is done before it is done again without it. */
export async function keepSecret(dataDirectory: string, secret: string): Promise<void> {
  const file = secretFile(dataDirectory);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600 });
  await rename(draft, file);
}

/** Puts the rules of who may sign in into a data directory; the file keeps its owner, and is never a link. */
export function writeHostRules(dataDirectory: string): Promise<void> {
  const flag = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW;
  return writeFile(path.join(dataDirectory, 'pg_hba.conf'), HOST_RULES, { flag });
}

/**
 * What a superuser does once, in the cluster: the role and its password. A random password gains nothing by being
 * stretched, which would cost every new connection.
 */
export function roleStatements(secret: string): string[] {
  return [
    `DO $$ BEGIN
  IF to_regrole('runyard_app') IS NULL THEN CREATE ROLE runyard_app NOLOGIN; END IF;
  IF to_regrole('${ROLE}') IS NULL THEN CREATE ROLE ${ROLE}; END IF;
END $$`,
    'SET scram_iterations = 1',
    `ALTER ROLE ${ROLE} LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS PASSWORD '${secret}'`,
    `GRANT runyard_app TO ${ROLE}`,
  ];
}

/** Under the first number that is not initdb's own, by which a cluster with a database is known for one. */
export const CREATE_DATABASE = `CREATE DATABASE ${DATABASE} OWNER ${ROLE} OID ${FIRST_USER_OID}`;

/** The superuser's own, in schemas that are not PostgreSQL's: those of Runyard and of its queue. */
const HANDED_OVER = `nspname !~ '^pg_' AND nspname <> 'information_schema'`;

/** For a database that the superuser owned: everything that was made in it goes over to the role. Harmless when repeated. */
export const HAND_OVER = [
  `ALTER DATABASE ${DATABASE} OWNER TO ${ROLE}`,
  `DO $$ DECLARE made record; BEGIN
  FOR made IN SELECT nspname AS name FROM pg_namespace WHERE ${HANDED_OVER} AND nspname <> 'public'
  LOOP EXECUTE format('ALTER SCHEMA %I OWNER TO ${ROLE}', made.name); END LOOP;
  FOR made IN SELECT c.oid::regclass AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${HANDED_OVER} AND relkind IN ('r', 'p', 'v', 'm', 'S') AND relowner <> '${ROLE}'::regrole
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND c.relkind = 'S' AND d.deptype IN ('a', 'i'))
  LOOP EXECUTE format('ALTER TABLE %s OWNER TO ${ROLE}', made.name); END LOOP;
  FOR made IN SELECT p.oid::regprocedure AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE ${HANDED_OVER} AND proowner <> '${ROLE}'::regrole
  LOOP EXECUTE format('ALTER ROUTINE %s OWNER TO ${ROLE}', made.name); END LOOP;
  FOR made IN SELECT t.oid::regtype AS name FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
     WHERE ${HANDED_OVER} AND typtype IN ('e', 'd') AND typowner <> '${ROLE}'::regrole
  LOOP EXECUTE format('ALTER TYPE %s OWNER TO ${ROLE}', made.name); END LOOP;
END $$`,
];
