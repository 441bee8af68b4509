import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';

/**
 * The directory that the paths of a manifest are relative to: where the command was typed, or, for a workflow outside
 * of it, the workflow's own. No path of a manifest leads out of it.
 */
export class Workspace {
  private constructor(readonly root: string) {}

  static around(cwd: string, workflow: string): Workspace {
    const file = path.resolve(cwd, workflow);
    return new Workspace(isInside(cwd, file) ? cwd : path.dirname(file));
  }

  /** A file's path from here, with forward slashes and no dots in it; undefined when it lies outside. */
  canonical(file: string): string | undefined {
    return isInside(this.root, file) ? path.relative(this.root, file).split(path.sep).join('/') : undefined;
  }
}

/** The text of a file, or undefined when there is none. */
export async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new CliError(`${file} cannot be read: ${message}`, exitCodes.misuse);
  }
}

function isInside(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
