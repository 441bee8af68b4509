import { quote } from '../diagnostics/wording.js';
import { type SourceText } from '../source/source-text.js';
import { type Sources } from '../source/sources.js';

/** The files that travel with a workflow: content by path, canonical and relative to the root of the bundle. */
export type BundledFiles = ReadonlyMap<string, string>;

/** A file that was found, or the end of a sentence that says why there is none. */
export type Resolved = { file: SourceText; path: string } | { problem: string };

/** Finds the files that a workflow refers to. Each becomes a text of the compilation, once. */
export class Bundle {
  private readonly texts = new Map<string, SourceText>();

  constructor(
    private readonly files: BundledFiles,
    private readonly sources: Sources,
  ) {}

  /** Takes in a file that was read already. */
  hold(path: string, file: SourceText): void {
    this.texts.set(path, file);
  }

  /** The file that a reference in `from` names. `from` is `undefined` in a source that no file holds. */
  resolve(reference: string, from: string | undefined): Resolved {
    const path = canonicalPath(reference, from);
    if (typeof path !== 'string') return path;
    const known = this.texts.get(path);
    if (known) return { file: known, path };
    const content = this.files.get(path);
    if (content === undefined)
      return { problem: path === reference ? 'which is missing' : `which is missing: there is no ${quote(path)}` };
    const file = this.sources.add(content, path);
    this.texts.set(path, file);
    return { file, path };
  }
}

/**
 * The path from the root of the bundle that a reference in `from` names, or why it names none. References stay inside
 * the bundle: absolute paths, home directories, drive letters, backslashes and ways out of the root are refused.
 */
export function canonicalPath(reference: string, from: string | undefined): string | { problem: string } {
  if (/\{[{%#]/.test(reference)) return { problem: 'but templates are not supported in file references' };
  if (reference.includes('\\')) return { problem: 'but paths are written with forward slashes' };
  if (/^(?:[/~]|[A-Za-z]:)/.test(reference)) return { problem: 'but only relative paths are allowed' };
  if (from === undefined) return { problem: 'but a source that stands in no file can refer to none' };
  const parts = from.split('/').slice(0, -1);
  for (const part of reference.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return { problem: "which lies outside of the workflow's files" };
  }
  return parts.length === 0 ? { problem: 'which is no file' } : parts.join('/');
}
