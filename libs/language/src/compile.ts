import { isError, type Diagnostic } from './diagnostics/diagnostic.js';
import { buildGraph } from './graph/build-graph.js';
import { draftAttribute } from './graph/draft-attribute.js';
import { type Draft } from './graph/draft.js';
import { expand } from './graph/expand.js';
import { type Graph } from './graph/graph.js';
import { SourceText } from './source/source-text.js';
import { parseText } from './syntax/parse.js';
import { validate } from './validation/validate.js';
import { Workflow } from './validation/workflow.js';

export interface CompileOptions {
  /** Replaces the goal of the source, when the run brings its own. */
  goal?: string;
}

/** `graph` is present exactly when no diagnostic is an error. */
export interface Compilation {
  graph: Graph | undefined;
  diagnostics: Diagnostic[];
}

/**
 * Reads a source, builds its graph and checks it against every rule; a source with syntax errors is not checked any
 * further. Never throws, and takes time linear in the source.
 */
export function compile(source: string, options: CompileOptions = {}): Compilation {
  const text = new SourceText(source);
  const { tree, diagnostics: faults } = parseText(text);
  if (!tree || faults.length > 0) return { graph: undefined, diagnostics: faults };

  const draft = expand(tree);
  if (options.goal !== undefined) replaceGoal(draft, options.goal);
  const graph = buildGraph(draft);
  const diagnostics = validate(new Workflow(draft, graph), text);
  return { graph: diagnostics.some(isError) ? undefined : graph, diagnostics };
}

/** A goal from outside has no place in the source; what is said about it points at the workflow's name. */
function replaceGoal(draft: Draft, goal: string): void {
  const span = draft.nameSpan;
  draft.attributes.put([
    draftAttribute('graph', { key: { text: 'goal', span }, value: { form: 'quoted', text: goal, span } }),
  ]);
}
