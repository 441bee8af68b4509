import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Where an epoch of a run keeps its files. Later epochs read there and write nothing, so what removes an epoch and those
 * before it takes nothing from a later one, however they meet.
 */
export function epochFolder(run: string, epoch: number): string {
  return join(run, `${epoch}`);
}

/** The epochs of which a run's folder holds something; none where there is no folder. */
export function epochsIn(run: string): number[] {
  return namesIn(run).filter(isEpoch).map(Number);
}

/** Whether an entry of a run's folder is the folder of an epoch. */
export function isEpoch(name: string): boolean {
  return /^\d+$/.test(name);
}

/** The folders an epoch needs before its first command starts. */
export function foldersOf(epoch: string): string[] {
  return [join(epoch, 'output'), join(epoch, 'input')];
}

/** Says which runner an epoch works with. */
export function ownerPath(epoch: string, runnerId: string): string {
  return join(epoch, `owner-${runnerId}.json`);
}

export function ownerPathsIn(epoch: string): string[] {
  return pathsIn(epoch, /^owner-.*\.json$/);
}

/** What the commands came to that one runner started under an epoch; see {@link Journal}. */
export function journalPath(epoch: string, runnerId: string): string {
  return join(epoch, `journal-${runnerId}`);
}

export function journalPathsIn(epoch: string): string[] {
  return pathsIn(epoch, /^journal-/);
}

/** The kept output of an attempt; there is no such file for a command that wrote nothing. */
export function outputPath(epoch: string, attempt: string): string {
  return join(epoch, 'output', fileName(attempt));
}

export function inputPath(epoch: string, attempt: string): string {
  return join(epoch, 'input', fileName(attempt));
}

/** For a script that is too long to be an argument. */
export function scriptPath(epoch: string, attempt: string): string {
  return join(epoch, 'input', `${fileName(attempt)}.script`);
}

function pathsIn(folder: string, names: RegExp): string[] {
  return namesIn(folder)
    .filter((name) => names.test(name))
    .map((name) => join(folder, name));
}

/** None for a folder that is not there. */
function namesIn(folder: string): string[] {
  return unlessMissing(() => readdirSync(folder)) ?? [];
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
  const text = readText(path);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** The file's text; `undefined` when there is no file. */
export function readText(path: string): string | undefined {
  return unlessMissing(() => readFileSync(path, 'utf8'));
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
