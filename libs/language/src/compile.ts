import { Bundle, type BundledFiles } from './bundle/bundle.js';
import { inlineFiles } from './bundle/inline-files.js';
import { compileChildren } from './children/compile-children.js';
import { CompileState } from './compile-state.js';
import { isError, type Diagnostic } from './diagnostics/diagnostic.js';
import { buildGraph } from './graph/build-graph.js';
import { draftAttribute } from './graph/draft-attribute.js';
import { type Draft } from './graph/draft.js';
import { expand } from './graph/expand.js';
import { type Graph } from './graph/graph.js';
import { resolveImports } from './imports/resolve-imports.js';
import { type SourceText } from './source/source-text.js';
import { applyStylesheet } from './stylesheet/apply-stylesheet.js';
import { parseText } from './syntax/parse.js';
import { renderTemplates } from './templates/render-templates.js';
import { type TemplateScope } from './templates/template-scope.js';
import { validate } from './validation/validate.js';
import { type ModelNames } from './validation/model-names.js';
import { Workflow } from './validation/workflow.js';

export interface CompileOptions {
  /** Where the source stands among `files`; without it, it can refer to no file. */
  path?: string;
  /** What the source may refer to, by canonical path. */
  files?: BundledFiles;
  /** Replaces the goal of the source, when the run brings its own. */
  goal?: string;
  /** What templates and scripts may name. Without it, every input and variable is unknown, not missing. */
  scope?: TemplateScope;
  /** The models there are; without it no name of a model is doubted. */
  models?: ModelNames;
}

/** `graph` is present exactly when no diagnostic is an error. */
export interface Compilation {
  graph: Graph | undefined;
  diagnostics: Diagnostic[];
}

/**
 * Reads a source and the files it refers to, builds its graph and checks it against every rule; a source with syntax
 * errors is not checked any further. Never throws. Takes time linear in what it reads; what a source may make of it
 * by copying (defaults, imports, files, templates) is bounded.
 */
export function compile(source: string, options: CompileOptions = {}): Compilation {
  const state = new CompileState();
  const main = state.sources.add(source, options.path);
  const bundle = new Bundle(options.files ?? new Map(), state.sources);
  const chain = options.path === undefined ? [] : [options.path];
  return compileText(main, state, bundle, chain, options);
}

/** A child runs in a run of its parent's, without inputs and variables; its own goal stays. */
const OF_CHILD: CompileOptions = { scope: { inputs: {}, vars: {}, undefinedIs: 'error' } };

function compileText(
  source: SourceText,
  state: CompileState,
  bundle: Bundle,
  chain: readonly string[],
  options: CompileOptions,
): Compilation {
  const { tree, diagnostics: faults } = parseText(source);
  if (!tree || faults.length > 0) return { graph: undefined, diagnostics: faults };

  const draft = expand(tree, state);
  if (options.goal !== undefined) replaceGoal(draft, options.goal);
  resolveImports(draft, bundle);
  inlineFiles(draft, bundle);
  renderTemplates(draft, bundle, options.scope);
  applyStylesheet(draft);
  const children = compileChildren(draft, bundle, chain, (child, files) => {
    const inner = new CompileState(state);
    return compileText(child, inner, bundle, files, { ...OF_CHILD, ...(options.models && { models: options.models }) });
  });
  const graph = buildGraph(draft, children.byManager);
  const diagnostics = [...validate(new Workflow(draft, graph, options.models)), ...children.diagnostics];
  return { graph: diagnostics.some(isError) ? undefined : graph, diagnostics };
}

/** A goal from outside has no place in the source; what is said about it points at the workflow's name. */
function replaceGoal(draft: Draft, goal: string): void {
  const span = draft.nameSpan;
  draft.attributes.put([
    draftAttribute('graph', { key: { text: 'goal', span }, value: { form: 'verbatim', text: goal, span } }),
  ]);
}
