import { type FileHandle, access, constants, open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Stats } from 'node:fs';
import { ConfigError } from './errors.js';

/** What a system answers about a path that leads to no file. */
const NO_FILE: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];
const ROOT = 0;
const TRUST = 'name the folder of the project in RUNYARD_TRUSTED_FOLDERS.';

/**
 * The bytes of a file whose orders are followed without a word from the user; undefined when there is none. The file and
 * the folders that are named have to belong to the user or to root, and nobody else may be able to write to them: throws a
 * {@link ConfigError} that names the one that is not so, and what to do. The bytes are of the very file that was looked at.
 * What lies in a folder that the user names in `RUNYARD_TRUSTED_FOLDERS` is taken for the user's own: a container
 * that works as root on a mounted repository says so. A sticky folder is writable like any other: anybody could put a file there first. Where the system knows
 * no users by number, nothing is looked at.
 */
export async function readOwnFile(
  file: string,
  folders = [path.dirname(file)],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Uint8Array | undefined> {
  const handle = await openIfThere(file);
  if (!handle) return undefined;
  try {
    const uid = isTrusted(file, env) ? undefined : process.getuid?.();
    const found = await handle.stat();
    if (found.isDirectory()) return undefined;
    if (uid !== undefined) {
      for (const folder of folders) await requireOwn(folder, await stat(folder), uid);
      await requireOwn(file, found, uid);
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    // Opening a pipe that nobody writes to must not block.
    return await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    if (NO_FILE.includes((thrown as NodeJS.ErrnoException).code)) return undefined;
    throw new ConfigError(`${file} cannot be read: ${(thrown as Error).message}`);
  }
}

function isTrusted(file: string, { RUNYARD_TRUSTED_FOLDERS: folders = '' }: NodeJS.ProcessEnv): boolean {
  const trusted = folders.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return trusted.some((folder) => !path.relative(folder, path.resolve(file)).startsWith('..'));
}

async function requireOwn(place: string, found: Stats, uid: number): Promise<void> {
  const { uid: owner, mode } = found;
  const has = `user ${owner}, mode ${(mode & 0o7777).toString(8).padStart(4, '0')}`;
  if (owner !== uid && owner !== ROOT) {
    throw new ConfigError(
      `${place} belongs to somebody else (${has}) and could have anything done in your name, so it is not used. ` +
        `Look at what it says; to use it: chown ${uid} ${place}, or ${TRUST}`,
    );
  }
  if (othersMayWrite(found) && !(await isReadOnly(place))) {
    throw new ConfigError(
      `${place} can be written by others (${has}), who could have anything done in your name, so it is not used. ` +
        `Look at what it says; to use it: chmod go-w ${place}, or ${TRUST}`,
    );
  }
}

/** A group with the number of the owner is the owner's own, as most Linux systems make one for each user. */
function othersMayWrite({ mode, uid, gid }: Stats): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);
}

/** Whether a place lies on a file system to which nobody can write, whatever its mode says: mounted configuration does. */
async function isReadOnly(place: string): Promise<boolean> {
  return access(place, constants.W_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'EROFS',
  );
}
