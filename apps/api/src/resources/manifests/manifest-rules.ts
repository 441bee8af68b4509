import { isJsonObject, isUlid, type JsonObject } from '#libs/kernel';
import { quote } from '../../edge/schema/kind.js';
import { MAX_FILES } from './manifest-limits.js';

/** Characters that have text read in another order than it is written. */
const BIDI_CONTROL = /\p{Bidi_Control}/u;

/** No system takes longer paths. */
export const MAX_PATH_BYTES = 4_096;

/** The rules of a run manifest that its table of types cannot say. Each returns the rest of a sentence, or nothing. */

export function runIdProblem(id: string): string | undefined {
  return isUlid(id) ? undefined : `must be a ULID (26 characters, upper case), not ${quote(id)}`;
}

export function titleProblem(title: string): string | undefined {
  if (/\p{Cc}|[\u2028\u2029]/u.test(title)) return 'must be one line without control characters';
  const turning = BIDI_CONTROL.exec(title)?.[0];
  if (turning === undefined) return undefined;
  const code = turning.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `must not hold U+${code}, which has text read in another order than it is written; leave it out`;
}

export function inputProblem(entry: string): string | undefined {
  return entry.indexOf('=') > 0 ? undefined : `must have the form KEY=VALUE with a key, not ${quote(entry)}`;
}

/** Canonical: relative, with forward slashes, without empty, "." and ".." segments. */
export function canonicalPathProblem(path: string): string | undefined {
  const canonical =
    !path.includes('\\') && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  return canonical ? undefined : `must be a relative path without empty, "." or ".." parts, not ${quote(path)}`;
}

/** Absolute where the client is, which may be another system than the server's. */
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/;

export function directoryProblem(path: string): string | undefined {
  const isPlain = ABSOLUTE.test(path) && !path.split(/[\\/]/).includes('..');
  return isPlain ? undefined : `must be an absolute path without ".." parts, not ${quote(path)}`;
}

/** The files of all workflows count together. */
export function filesProblem(workflows: JsonObject): string | undefined {
  let count = 0;
  for (const workflow of Object.values(workflows)) {
    const files = isJsonObject(workflow) ? workflow.files : undefined;
    if (isJsonObject(files)) count += Object.keys(files).length;
  }
  return count > MAX_FILES ? `must have at most ${MAX_FILES} files in all, not ${count}; send fewer` : undefined;
}

interface Manifest {
  run_id?: string | null;
  parent_id?: string | null;
  target: { path: string };
  workflows: Record<string, unknown>;
}

export function targetProblem({ target, workflows }: Manifest): string | undefined {
  if (Object.hasOwn(workflows, target.path)) return undefined;
  return `names ${quote(target.path)}, which is not a key of "workflows"; send that workflow's source along`;
}

export function samePathProblem({ workflows }: Manifest): string | undefined {
  const seen = new Map<string, string>();
  for (const path of Object.keys(workflows)) {
    const normal = normalized(path);
    const twin = seen.get(normal);
    if (twin !== undefined) return `has the same path twice, as ${quote(twin)} and ${quote(path)}; keep one`;
    seen.set(normal, path);
  }
  return undefined;
}

function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(/[/\\]/)) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

export function repeatedIdProblem({ run_ids }: { run_ids: readonly string[] }): string | undefined {
  const repeated = run_ids.find((id, place) => run_ids.indexOf(id) !== place);
  return repeated === undefined ? undefined : `must name each run once, not ${repeated} twice`;
}

export function ownParentProblem({ run_id, parent_id }: Manifest): string | undefined {
  return parent_id && parent_id === run_id ? 'must be another run than "run_id"' : undefined;
}
