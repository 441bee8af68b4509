import path from 'node:path';
import type { components } from '#libs/api-client';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { fileReferences } from './file-references.js';
import { readIfExists, type Workspace } from './workspace.js';

type FileEntry = components['schemas']['ManifestFileEntry'];

/**
 * The files that a workflow refers to, and those that its imports refer to, by canonical path and in its order. A path
 * is relative to the file it stands in. Throws when a file is missing or lies outside of the workspace.
 */
export async function referencedFiles(
  workspace: Workspace,
  workflow: string,
  source: string,
): Promise<Record<string, FileEntry>> {
  const files = new Map<string, FileEntry>();
  const unread = [{ from: workflow, source }];
  for (let next = unread.shift(); next; next = unread.shift()) {
    const { from, source: text } = next;
    for (const { type, where, original, path: named, line } of fileReferences(text)) {
      const place = `${from}:${line} The ${where} refers to "${named}"`;
      const file = path.resolve(workspace.root, path.dirname(from), named);
      const canonical = workspace.canonical(file);
      if (canonical === undefined) {
        throw new CliError(`${place}, which lies outside of ${workspace.root}.`, exitCodes.misuse);
      }
      if (files.has(canonical)) continue;
      const content = await readIfExists(file);
      if (content === undefined) throw new CliError(`${place}, which does not exist.`, exitCodes.misuse);
      files.set(canonical, { content, ref: { type, original, from } });
      if (type === 'import') unread.push({ from: canonical, source: content });
    }
  }
  return Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}
