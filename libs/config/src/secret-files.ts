import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { messageOf } from '#libs/kernel';
import { ConfigError } from './errors.js';

/** What a server may be given in a file, which `<name>_FILE` names. */
const SECRETS = [
  'DATABASE_URL',
  'REDIS_URL',
  'RUNYARD_DEV_TOKEN',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
] as const;

/** Read by everybody, or written by anybody but the owner. */
const TOO_OPEN = 0o027;

/**
 * The secrets of files, by the names of their variables. Throws a {@link ConfigError} by name for a file that cannot be
 * read, that others may read, that belongs to neither this user nor root, or whose variable is set besides.
 */
export function readSecretFiles(env: NodeJS.ProcessEnv): Record<string, string> {
  const given = SECRETS.filter((name) => env[`${name}_FILE`]);
  return Object.fromEntries(given.map((name) => [name, secretOf(name, env[`${name}_FILE`]!, env)]));
}

function secretOf(name: string, file: string, env: NodeJS.ProcessEnv): string {
  if (env[name]) throw new ConfigError(`Both ${name} and ${name}_FILE are set; keep one.`);
  const { text, mode, uid } = contentsOf(name, file);
  if ((mode & TOO_OPEN) !== 0) {
    throw new ConfigError(`${name}_FILE: others may read ${file}, or change it. Protect it with: chmod 400 ${file}`);
  }
  if (uid !== 0 && uid !== process.getuid?.()) {
    throw new ConfigError(`${name}_FILE: ${file} belongs to user ${uid}, who could change it.`);
  }
  return text.trim();
}

/** Of the file that was opened, whatever its name stands for later. */
function contentsOf(name: string, file: string): { text: string; mode: number; uid: number } {
  try {
    const opened = openSync(file, 'r');
    try {
      const { mode, uid } = fstatSync(opened);
      return { text: readFileSync(opened, 'utf8'), mode, uid };
    } finally {
      closeSync(opened);
    }
  } catch (cause) {
    throw new ConfigError(`${name}_FILE: ${file} cannot be read: ${messageOf(cause)}`);
  }
}
