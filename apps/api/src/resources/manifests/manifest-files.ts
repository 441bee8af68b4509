import { canonicalPath, type BundledFiles } from '#libs/language';
import { InvalidRequestError } from '../../edge/errors/request-errors.js';
import type { ManifestFileRef } from './dto/manifest-parts.js';
import type { RunManifestRequest } from './dto/run-manifest.js';
import { quote } from '../../edge/schema/kind.js';

/**
 * What travels with a manifest, by canonical path: the sources of its workflows and the files of all of them. A file is
 * found by its key and, where nothing has that key, by the reference it was sent for. Throws an
 * {@link InvalidRequestError} when two entries disagree about what a path holds.
 */
export function filesOf({ workflows }: Pick<RunManifestRequest, 'workflows'>): BundledFiles {
  const files = new Map<string, string>();
  const entries = Object.values(workflows).flatMap((workflow) => Object.entries(workflow.files ?? {}));
  for (const [path, { source }] of Object.entries(workflows)) put(files, canonical(path), source);
  for (const [path, { content }] of entries) put(files, canonical(path), content);

  const referenced = new Map<string, string>();
  for (const [, { content, ref }] of entries) {
    const path = referencedPath(ref);
    if (path !== undefined && !files.has(path)) put(referenced, path, content);
  }
  return new Map([...referenced, ...files]);
}

function put(files: Map<string, string>, path: string | undefined, content: string): void {
  if (path === undefined) return;
  const known = files.get(path);
  if (known !== undefined && known !== content) {
    throw new InvalidRequestError([`The manifest has two files for ${quote(path)}, which differ; send one.`]);
  }
  files.set(path, content);
}

/** The path a reference names, seen from the file it stands in. */
function referencedPath({ original, from }: ManifestFileRef): string | undefined {
  const place = typeof from === 'string' ? canonical(from) : '';
  return place === undefined ? undefined : canonical(original.trim().replace(/^@/, ''), place);
}

function canonical(path: string, from = ''): string | undefined {
  const found = canonicalPath(path, from);
  return typeof found === 'string' ? found : undefined;
}
