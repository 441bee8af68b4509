import { chmod, lchown, lstat, mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { RunyardError } from '#libs/kernel';

/** Some systems take no longer path for a socket, the name of the socket included. */
const MAX_SOCKET_DIRECTORY_BYTES = 80;
const PREFIX = 'runyard-';
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/** As whom PostgreSQL runs where this process may not. */
export interface PostgresOwner {
  uid: number;
  gid: number;
}

/** A folder that somebody else prepared, or may get into: nothing that answers there can be relied on. */
export class FolderNotPrivateError extends RunyardError {
  override readonly code = 'folder_not_private';
  readonly kind = 'unavailable';
}

/**
 * A folder for the socket of the PostgreSQL with this data directory, which its owner alone may enter: beside the data,
 * or, where such a path is too long for a socket, one that is made new under the temporary directory. Throws a
 * {@link FolderNotPrivateError} for one that is not of that kind already.
 */
export async function makeSocketFolder(dataDirectory: string, owner: PostgresOwner | undefined): Promise<string> {
  const beside = besideOf(dataDirectory);
  if (fits(beside)) {
    await makePrivate(beside, owner);
    return beside;
  }
  const parent = [os.tmpdir(), '/tmp'].find((folder) => fits(path.join(folder, `${PREFIX}012345`)))!;
  await assertNobodyMovesWhatIsIn(parent);
  const made = await mkdtemp(path.join(parent, PREFIX));
  if (owner) await lchown(made, owner.uid, owner.gid);
  return made;
}

/** Removes the folder that was made for a socket under the temporary directory, once it is empty. */
export async function removeSocketFolder(folder: string, dataDirectory: string): Promise<void> {
  if (folder === '' || folder === besideOf(dataDirectory)) return;
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (!['ENOENT', 'ENOTEMPTY'].includes(error.code ?? '')) throw error;
  });
}

function besideOf(dataDirectory: string): string {
  return path.join(path.dirname(dataDirectory), 'run');
}

function fits(folder: string): boolean {
  return Buffer.byteLength(folder) <= MAX_SOCKET_DIRECTORY_BYTES;
}

/** Makes a folder that its owner alone may enter; one that is there has to be theirs, or this process's to give. */
export async function makePrivate(folder: string, owner?: PostgresOwner): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const { uid } = await lstat(folder);
  if (owner && uid === process.getuid?.()) {
    await assertPrivate(folder, undefined, { andClose: true });
    await lchown(folder, owner.uid, owner.gid);
  } else {
    await assertPrivate(folder, owner, { andClose: true });
  }
}

/** Throws a {@link FolderNotPrivateError} that names the folder. Links are not followed. */
async function assertPrivate(
  folder: string,
  owner: PostgresOwner | undefined,
  { andClose = false } = {},
): Promise<void> {
  const found = await lstat(folder);
  const uid = owner?.uid ?? process.getuid?.() ?? found.uid;
  const refuse = (why: string): never => {
    throw new FolderNotPrivateError(`${folder} ${why}. Find out who made it, and remove it.`);
  };
  if (!found.isDirectory()) refuse('is not a directory');
  if (found.uid !== uid) refuse(`belongs to user ${found.uid}, not to ${uid}`);
  if ((found.mode & 0o077) === 0) return;
  if (andClose) await chmod(folder, 0o700);
  else refuse('may be entered by others');
}

/** Whether the folder is there. Throws a {@link FolderNotPrivateError} for one that others may enter, or made. */
export function isPrivate(folder: string, owner: PostgresOwner | undefined): Promise<boolean> {
  return assertPrivate(folder, owner).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/** A name in a folder that others may write to is theirs to change, unless the folder is sticky. */
async function assertNobodyMovesWhatIsIn(folder: string): Promise<void> {
  const { mode, uid } = await stat(folder);
  const isOurs = uid === 0 || uid === process.getuid?.();
  if (isOurs && ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0)) return;
  const hint = 'Set TMPDIR to a directory of your own, or RUNYARD_HOME to a shorter path.';
  throw new FolderNotPrivateError(`Others may replace what is in the temporary directory ${folder}. ${hint}`);
}
