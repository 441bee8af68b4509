import { Bundle, type BundledFiles } from './bundle/bundle.js';
import { inlineFiles } from './bundle/inline-files.js';
import { ChildCompiler, type CompiledChild } from './children/child-compiler.js';
import { CompileState } from './compile-state.js';
import { isError, type Diagnostic } from './diagnostics/diagnostic.js';
import { buildGraph } from './graph/build-graph.js';
import { draftAttribute } from './graph/draft-attribute.js';
import { type Draft } from './graph/draft.js';
import { Expansion } from './graph/expand.js';
import { type Graph } from './graph/graph.js';
import { type CompileEffort } from './effort.js';
import { resolveImports } from './imports/resolve-imports.js';
import { type SourceText } from './source/source-text.js';
import { applyStylesheet } from './stylesheet/apply-stylesheet.js';
import { readStatements } from './syntax/parse.js';
import { type ReadInputs } from './templates/inputs-read.js';
import { renderTemplates } from './templates/render-templates.js';
import { type TemplateScope } from './templates/template-scope.js';
import { validate } from './validation/validate.js';
import { type ModelNames } from './validation/model-names.js';
import { CheckedWorkflow } from './validation/workflow.js';

/** What a node or an edge takes beside its texts. */
const PART_SIZE = 64;

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
  /** `whole` when not given. */
  effort?: CompileEffort;
}

/** `graph` is present exactly when no diagnostic is an error. */
export interface Compilation {
  graph: Graph | undefined;
  /** The first 1,000 of each rule. */
  diagnostics: Diagnostic[];
  /** Diagnostics beyond those. */
  leftOut: number;
  /** The effort did not suffice; with a greater one the result may be another. */
  isCutShort: boolean;
  inputs: ReadInputs;
}

/**
 * Reads a source and the files it refers to, builds its graph and checks it against every rule; a source with syntax
 * errors is not checked any further. Never throws. Takes time linear in what it reads; what a source may make of it
 * by copying (defaults, imports, files, templates) is bounded.
 */
export function compile(source: string, options: CompileOptions = {}): Compilation {
  const state = new CompileState(undefined, options.effort);
  const bundle = new Bundle(options.files ?? new Map(), state.sources);
  const main = state.sources.add(source, options.path);
  if (options.path !== undefined) bundle.hold(options.path, main);
  const children: ChildCompiler = new ChildCompiler(bundle, (child, chain) =>
    compileText(child, { ...ofChild(options), state: new CompileState(state), bundle, children, chain }),
  );
  const { graph, diagnostics } = compileText(main, { ...options, state, bundle, children, chain: [main] });
  const { leftOut, isCutShort, inputs } = state;
  return { graph, diagnostics, leftOut, isCutShort, inputs };
}

/** A child runs inside its parent's run, without inputs and variables; the goal is its own. */
function ofChild({ models }: CompileOptions): CompileOptions {
  return { scope: { inputs: {}, vars: {}, undefinedIs: 'error', isInside: true }, ...(models && { models }) };
}

interface Task extends CompileOptions {
  state: CompileState;
  bundle: Bundle;
  children: ChildCompiler;
  /** The sources this one is nested in, and itself. */
  chain: readonly SourceText[];
}

function compileText(source: SourceText, task: Task): CompiledChild {
  const { state, bundle, goal, scope, models, chain } = task;
  const expansion = new Expansion(state);
  const { diagnostics: faults } = readStatements(source, expansion);
  if (faults.length > 0) {
    state.inputs.readsAny = true;
    const diagnostics = faults.filter(({ rule }) => state.mayReport(rule));
    return { graph: undefined, diagnostics, size: 0, nodes: 0 };
  }

  const { draft } = expansion;
  if (goal !== undefined) replaceGoal(draft, goal);
  resolveImports(draft, bundle);
  if (state.outgrown) return outgrown(draft);
  inlineFiles(draft, bundle);
  renderTemplates(draft, bundle, scope);
  applyStylesheet(draft);
  const children = task.children.childrenOf(draft, chain);
  if (state.outgrown) return outgrown(draft);
  const graph = buildGraph(draft, children.byManager);
  const diagnostics = [...validate(new CheckedWorkflow(draft, graph, models)), ...children.diagnostics];
  const size = sizeOf(draft) + children.size;
  const nodes = draft.nodes.size + children.nodes;
  return { graph: diagnostics.some(isError) ? undefined : graph, diagnostics, size, nodes };
}

/** A source that makes too much of itself; what is there of its graph is looked at no further. */
function outgrown(draft: Draft): CompiledChild {
  draft.state.inputs.readsAny = true;
  const diagnostics = validate(new CheckedWorkflow(draft, buildGraph(draft, new Map())));
  return { graph: undefined, diagnostics, size: 0, nodes: 0 };
}

/** How much storing a graph takes, in UTF-16 code units and roughly. */
function sizeOf({ nodes, edges }: Draft): number {
  let size = PART_SIZE * edges.length;
  for (const { attributes } of nodes.values()) size += PART_SIZE + attributes.textSize;
  return size;
}

/** A goal from outside has no place in the source; what is said about it points at the workflow's name. */
function replaceGoal(draft: Draft, goal: string): void {
  const span = draft.nameSpan;
  draft.attributes.put([
    draftAttribute('graph', { key: { text: 'goal', span }, value: { form: 'verbatim', text: goal, span } }),
  ]);
}
