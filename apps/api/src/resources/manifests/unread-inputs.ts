import { nearestName } from '#libs/kernel';
import { variableOfInput, type CompileEffort } from '#libs/language';
import type { RunManifestRequest } from './dto/run-manifest.js';
import { compileManifest } from './compile-manifest.js';
import { resolveSettings, type ServerDefaults } from './run-settings.js';

/**
 * A sentence for each of these inputs that the workflow of a manifest neither reads nor declares: it is misspelt, and the
 * run would go on with something else.
 */
export function unreadInputs(
  request: RunManifestRequest,
  names: readonly string[],
  { server, effort }: { server: ServerDefaults; effort: CompileEffort },
): string[] {
  const settings = resolveSettings({ ...request, args: {} }, server);
  const { inputs: read } = compileManifest(request, { settings, undefinedIs: 'warning', effort });
  if (read.readsAny) return [];
  const known = new Set([...read.names, ...Object.keys(settings.run.inputs)]);
  const unread = names.filter((name) => !known.has(name) && !read.variables.has(variableOfInput(name)));
  return unread.map((name) => {
    const nearest = nearestName(name, known);
    const question = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    return `edits.inputs.${name}: the workflow reads no input of that name.${question}`;
  });
}
