import { readFile } from 'node:fs/promises';

/** The text of a file; undefined when there is none. Rejects for one that cannot be read: it may hold what is not to be lost. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
