import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Home, readOwnFile } from '#libs/config';
import { fileTextOf } from './text-of.js';

/** The project that a directory is in. */
export interface Project {
  root: string;
  /** Its `.runyard/project.toml`. */
  file: string;
  source: string;
}

/**
 * The nearest project from a directory upwards; undefined outside of any. What lies above the user's home, or on another
 * file system, was not put there for this directory and is not looked at. Throws a ConfigError for a project that others
 * may write to: its file names commands that run with the rights of the user who types `run`.
 */
export async function projectAround(from: string, home: Home): Promise<Project | undefined> {
  const device = await deviceOf(from);
  for (let root = from; (await deviceOf(root)) === device; root = path.dirname(root)) {
    const folder = path.join(root, '.runyard');
    const file = path.join(folder, 'project.toml');
    const bytes = await readOwnFile(file, [root, folder]);
    if (bytes) return { root, file, source: fileTextOf(bytes, file) };
    if (root === home.user || root === path.dirname(root)) return undefined;
  }
  return undefined;
}

/** The file system that a directory lies on; undefined for one that is not there. */
async function deviceOf(directory: string): Promise<number | undefined> {
  return (await stat(directory).catch(() => undefined))?.dev;
}
