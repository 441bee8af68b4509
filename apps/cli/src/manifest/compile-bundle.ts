import { compile, type Compilation, type CompileOptions } from '#libs/language';
import { builtInCatalogue } from '#libs/models';
import type { WorkflowBundle } from './bundle.js';

/** Files by path, and which were asked for in vain. */
class AskedFiles extends Map<string, string> {
  readonly missing = new Set<string>();

  override get(path: string): string | undefined {
    const text = super.get(path);
    if (text === undefined) this.missing.add(path);
    return text;
  }
}

/**
 * Compiles a workflow with its bundle. A goal from outside and a rendered prompt can name files that no source names:
 * these are taken into the bundle as soon as the compiler asks for them.
 */
export async function compileBundle(
  bundle: WorkflowBundle,
  path: string,
  options: Pick<CompileOptions, 'goal' | 'scope'>,
): Promise<Compilation> {
  const { source } = bundle.workflows.get(path)!;
  for (;;) {
    const files = new AskedFiles(bundle.texts());
    const compilation = compile(source, { path, files, models: builtInCatalogue, ...options });
    let found = false;
    for (const file of files.missing) {
      const ref = { type: 'file_inline' as const, original: `@${file}`, from: null };
      if ((await bundle.addFile(path, file, ref)) !== undefined) found = true;
    }
    if (!found) return compilation;
  }
}
