import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndRecord } from './protocol.js';

/** What is needed to find the processes of a command whose runner is gone. */
export interface ProcessRecord {
  attempt: string;
  epoch: number;
  /** The leader of the command's process group and session. */
  pid: number;
  /** Tells this process from a later one with the same pid; absent where the system does not tell. */
  startedAt?: string;
  timeoutMs: number;
}

/** Where the attempts of a run lie. */
export function attemptsFolder(runFolder: string): string {
  return join(runFolder, 'attempts');
}

/** The folder of one attempt. Attempt ids hold slashes and know no limit, so a digest stands for them. */
export function attemptFolder(runFolder: string, attempt: string): string {
  return join(attemptsFolder(runFolder), attemptName(attempt));
}

export function attemptName(attempt: string): string {
  return createHash('sha256').update(attempt).digest('hex').slice(0, 32);
}

/** Throws when the attempt was already begun: an attempt id names one try, never two. */
export function createAttemptFolder(folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
}

export function outputPath(attemptFolder: string): string {
  return join(attemptFolder, 'output');
}

export function writeProcess(attemptFolder: string, record: ProcessRecord): void {
  writeFileSync(join(attemptFolder, 'process.json'), JSON.stringify(record));
}

export function readProcess(attemptFolder: string): ProcessRecord | undefined {
  return readJson<ProcessRecord>(join(attemptFolder, 'process.json'));
}

/** All or nothing: a reader sees the whole end or none, even when the runner dies in between. */
export function writeEnd(attemptFolder: string, end: EndRecord): void {
  writeWhole(join(attemptFolder, 'end.json'), end);
}

export function readEnd(attemptFolder: string): EndRecord | undefined {
  return readJson<EndRecord>(join(attemptFolder, 'end.json'));
}

/** Writes beside the file and renames: readers see the old text or the new one. */
export function writeWhole(path: string, value: unknown): void {
  const draft = `${path}.draft`;
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600 });
  renameSync(draft, path);
}

/** The file's value; `undefined` when there is no file, or when its writer died before it was whole. */
export function readJson<T>(path: string): T | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
