import {
  compile,
  formatDiagnostic,
  isError,
  type Compilation,
  type Diagnostic,
  type CompileEffort,
  type Graph,
  type InputValue,
} from '#libs/language';
import { builtInCatalogue } from '#libs/models';
import { CutShortError } from './compiling/errors.js';
import { InvalidRequestError } from '../../edge/errors/request-errors.js';
import type { RunManifestRequest } from './dto/run-manifest.js';
import type { WorkflowSettings } from './dto/settings/workflow-settings.js';
import { filesOf } from './manifest-files.js';

/** What a manifest's workflow is compiled for. */
export interface Purpose {
  /** They hold the inputs, and the goal when they name one. */
  settings: WorkflowSettings;
  /** A run is not made with names that nothing defines; a look at the workflow only says so. */
  undefinedIs: 'warning' | 'error';
  effort: CompileEffort;
}

export interface CompiledManifest extends Compilation {
  /** The first errors as text: file, line, column, the line itself, and what to do. */
  faults: string[];
}

const MAX_FAULTS = 20;

/**
 * Compiles the workflow a manifest is about, together with all that travels with it. Throws an `invalid` error only for
 * a manifest that contradicts itself, and a {@link CutShortError} when a brief effort does not suffice; what is wrong with
 * the workflow is in the diagnostics.
 */
export function compileManifest(
  manifest: RunManifestRequest,
  { settings, undefinedIs, effort }: Purpose,
): CompiledManifest {
  const { path } = manifest.target;
  const { source } = manifest.workflows[path]!;
  const files = filesOf(manifest);
  const inputs = settings.run.inputs as Record<string, InputValue>;
  const goal = goalOf(manifest, settings);
  const compilation = compile(source, {
    path,
    files,
    scope: { inputs, vars: {}, undefinedIs },
    models: builtInCatalogue,
    effort,
    ...(goal !== undefined && { goal }),
  });
  if (effort === 'brief' && compilation.isCutShort) throw new CutShortError();
  const text = (diagnostic: Diagnostic) => {
    const at = diagnostic.path ?? path;
    return `${at}:${formatDiagnostic(at === path ? source : (files.get(at) ?? ''), diagnostic)}`;
  };
  return { ...compilation, faults: compilation.diagnostics.filter(isError).slice(0, MAX_FAULTS).map(text) };
}

/** The graph of a workflow without errors; one with errors is an `invalid` error that says them. */
export function soundGraph({ graph, faults }: CompiledManifest): Graph {
  if (!graph) throw new InvalidRequestError(faults);
  return graph;
}

/** The goal of the manifest, else of the settings; a goal of type `graph` is the workflow's own. */
function goalOf({ goal }: RunManifestRequest, { run }: WorkflowSettings): string | undefined {
  if (goal && goal.type !== 'graph') return goal.text;
  if (run.goal === null) return undefined;
  return run.goal.type === 'inline' ? run.goal.value : `@${run.goal.value}`;
}
