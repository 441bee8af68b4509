import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Home } from '#libs/config';
import { HomeUnusableError } from './home-lock.js';

const OWNER_ONLY = 0o700;
/** Under root PostgreSQL runs as another user, who passes through to its data; nobody lists what is there. */
const PASSABLE = 0o711;

/**
 * Takes everybody else's rights to the home away, also where it was made with more, and makes its storage. What lies
 * deeper is behind the folders that are closed here. Links are left alone. Throws a {@link HomeUnusableError} for a home
 * that belongs to another user.
 */
export async function closeHome({ directory, storage }: Home): Promise<void> {
  const outer = process.getuid?.() === 0 ? PASSABLE : OWNER_ONLY;
  await mkdir(storage, { recursive: true });
  await close(directory, (mode) => mode & outer);
  await close(storage, () => outer);
  for (const folder of [directory, storage]) {
    for (const name of await readdir(folder)) {
      const entry = path.join(folder, name);
      if (entry !== storage) await close(entry, (mode) => mode & OWNER_ONLY);
    }
  }
}

/** What root gave is root's to close; a file that goes meanwhile needs no closing. */
async function close(entry: string, closed: (mode: number) => number): Promise<void> {
  const found = await lstat(entry).catch(() => undefined);
  if (!found || found.isSymbolicLink()) return;
  const mode = found.mode & 0o777;
  if (mode === closed(mode) || (found.uid === 0 && process.getuid?.() !== 0)) return;
  await chmod(entry, (found.mode & 0o7000) | closed(mode)).catch((cause: unknown) => {
    throw new HomeUnusableError(`${entry} belongs to user ${found.uid}, and others may look into it.`, { cause });
  });
}
