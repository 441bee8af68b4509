import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders a run needs before its first command starts. */
export function foldersOf(run: string): string[] {
  return [join(run, 'owners'), join(run, 'output'), join(run, 'input')];
}

export function ownersFolder(run: string): string {
  return join(run, 'owners');
}

/** What the commands that one runner started came to; see {@link Journal}. */
export function journalPath(run: string, runnerId: string): string {
  return join(run, `journal-${runnerId}`);
}

/** The kept output of an attempt; there is no such file for a command that wrote nothing. */
export function outputPath(run: string, attempt: string): string {
  return join(run, 'output', fileName(attempt));
}

export function inputPath(run: string, attempt: string): string {
  return join(run, 'input', fileName(attempt));
}

/** For a script that is too long to be an argument. */
export function scriptPath(run: string, attempt: string): string {
  return join(run, 'input', `${fileName(attempt)}.script`);
}

/** Attempt ids hold slashes and know no limit, so a digest stands for them. */
function fileName(attempt: string): string {
  return createHash('sha256').update(attempt).digest('hex').slice(0, 32);
}

/** Writes beside the file and renames: readers see the old text or the new one. */
export function writeWhole(path: string, value: unknown): void {
  const draft = `${path}.draft`;
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600 });
  renameSync(draft, path);
}

/** The file's value; `undefined` when there is no file. */
export function readWhole<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
