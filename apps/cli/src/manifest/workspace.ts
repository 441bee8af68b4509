import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { readOwnFile } from '#libs/config';
import { messageOf } from '#libs/kernel';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { fileProblem } from '../server/file-problem.js';
import { fileTextOf } from './text-of.js';

/** The directory that the paths of a manifest are relative to. Nothing outside of it travels with a workflow. */
export class Workspace {
  private readonly texts = new Map<string, Promise<string | undefined>>();

  /** The root is an absolute path. */
  constructor(readonly root: string) {}

  /** A file's path from here, with forward slashes and no dots in it; undefined when it lies outside. */
  canonical(file: string): string | undefined {
    return isInside(this.root, file) ? path.relative(this.root, file).split(path.sep).join('/') : undefined;
  }

  /** Every file that was asked for, also in vain. */
  get asked(): string[] {
    return [...this.texts.keys()].map((canonical) => this.absolute(canonical));
  }

  /** Where a path from here leads. */
  absolute(canonical: string): string {
    return path.join(this.root, canonical);
  }

  /**
   * The text behind a path from here; undefined when there is none. A file is read once, so that all who ask see the same.
   * Throws a {@link CliError} when it cannot be read, and for a link that leads out: what is sent is seen by others.
   */
  read(canonical: string): Promise<string | undefined> {
    const known = this.texts.get(canonical);
    if (known) return known;
    const text = this.readInside(canonical);
    this.texts.set(canonical, text);
    return text;
  }

  private async readInside(canonical: string): Promise<string | undefined> {
    const file = this.absolute(canonical);
    const text = await readIfExists(file);
    if (text === undefined || isInside(await realpath(this.root), await realpath(file))) return text;
    throw new CliError(`${file} is a link to a file outside of ${this.root}, which is not sent.`, exitCodes.misuse);
  }
}

/** What a system answers about a path that leads to no file, a directory's included. */
const NO_FILE: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'];

/** The text of a file, or undefined when there is none. Throws a {@link CliError} when it cannot be read as text. */
export async function readIfExists(file: string): Promise<string | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (thrown) {
    if (NO_FILE.includes((thrown as NodeJS.ErrnoException).code)) return undefined;
    throw new CliError(`${file} ${fileProblem(thrown) ?? `cannot be read: ${messageOf(thrown)}`}.`, exitCodes.misuse);
  }
  return fileTextOf(bytes, file);
}

/** As {@link readIfExists}, for a file that is obeyed unseen: throws a ConfigError for one that is somebody else's. */
export async function readOwnText(file: string): Promise<string | undefined> {
  const bytes = await readOwnFile(file);
  return bytes && fileTextOf(bytes, file);
}

/** Whether a file lies below a directory. */
export function isInside(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
