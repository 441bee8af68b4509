import { type Bundle } from '../bundle/bundle.js';
import { type Diagnostic, isError } from '../diagnostics/diagnostic.js';
import { quote } from '../diagnostics/wording.js';
import { kindOf } from '../graph/build-node.js';
import { type Draft, type DraftNode } from '../graph/draft.js';
import { type Graph } from '../graph/graph.js';
import { type ChildWorkflow } from '../graph/node.js';
import { type SourceText } from '../source/source-text.js';
import { spanInside } from '../source/span-inside.js';

/** The rule that reports a child workflow that is not there or contains itself. */
export const CHILD_WORKFLOW = 'child_workflow';

/** A child that was compiled: what a manager runs, and what is wrong with it. */
interface CompiledChild {
  graph: Graph | undefined;
  diagnostics: readonly Diagnostic[];
}

/** Compiles one child. `chain` are the files it is nested in, its own included. */
export type CompileChild = (source: SourceText, chain: readonly string[]) => CompiledChild;

/** The workflows that the manager loops of a draft run, by the id of the manager. */
export interface Children {
  byManager: ReadonlyMap<string, ChildWorkflow>;
  diagnostics: Diagnostic[];
}

/** Compiles the children of every manager loop; each file once, however many managers run it. */
export function compileChildren(
  draft: Draft,
  bundle: Bundle,
  chain: readonly string[],
  compile: CompileChild,
): Children {
  const byManager = new Map<string, ChildWorkflow>();
  const diagnostics: Diagnostic[] = [];
  const files = new Map<string, CompiledChild>();
  for (const node of draft.nodes.values()) {
    if (!node.declared || kindOf(node).kind !== 'stack.manager_loop') continue;
    const child = inlineChild(draft, node, chain, compile) ?? fileChild(draft, node, bundle, chain, compile, files);
    if (!child) continue;
    diagnostics.push(...child.diagnostics);
    const size = child.graph ? sizeOf(child.graph) : 0;
    if (child.graph && draft.state.mayCopy(size, node.span)) {
      byManager.set(node.id, { graph: child.graph, ...(child.path !== undefined && { path: child.path }) });
    }
  }
  return { byManager, diagnostics };
}

type NamedChild = CompiledChild & { path?: string };

/** The source in an attribute; it stands in no file, so what is said about it points into the attribute. */
function inlineChild(
  draft: Draft,
  node: DraftNode,
  chain: readonly string[],
  compile: CompileChild,
): NamedChild | undefined {
  const source = node.attributes.words('stack.child_dot_source');
  const literal = node.attributes.get('stack.child_dot_source')?.literal;
  if (source === undefined || !literal) return undefined;
  const { sources } = draft.state;
  const { graph, diagnostics } = compile(sources.add(source), chain);
  const placed = diagnostics.map((diagnostic) => {
    if (diagnostic.path !== undefined) return diagnostic;
    const { start, end } = diagnostic.range;
    return { ...diagnostic, ...sources.placeOf(spanInside(sources, literal, start.offset, end.offset)) };
  });
  return { graph, diagnostics: placed };
}

function fileChild(
  draft: Draft,
  node: DraftNode,
  bundle: Bundle,
  chain: readonly string[],
  compile: CompileChild,
  files: Map<string, CompiledChild>,
): NamedChild | undefined {
  const { state } = draft;
  const reference = node.attributes.words('stack.child_workflow')?.trim();
  const literal = node.attributes.get('stack.child_workflow')?.literal;
  if (reference === undefined || !literal) return undefined;
  const object = (message: string, isFatal: boolean): undefined => {
    const severity = isFatal ? { severity: 'error' as const } : {};
    state.find(CHILD_WORKFLOW, { message, span: literal.span, nodeId: node.id, ...severity });
  };
  const from = state.sources.pathOf(literal.span);
  const found = bundle.resolve(reference, from);
  if ('problem' in found) {
    const message = `The manager loop ${quote(node.id)} runs the workflow ${quote(reference)}, ${found.problem}; its stage will fail.`;
    return object(message, false);
  }
  if (chain.includes(found.path)) {
    const circle = [...chain.slice(chain.indexOf(found.path)), found.path].join(' -> ');
    return object(`The manager loop ${quote(node.id)} runs a workflow that contains it: ${circle}.`, true);
  }
  let child = files.get(found.path);
  if (child) return { graph: child.graph, diagnostics: [], path: found.path };
  child = compile(found.file, [...chain, found.path]);
  files.set(found.path, child);
  if (child.diagnostics.some(isError))
    object(`The workflow that the manager loop ${quote(node.id)} runs cannot run.`, true);
  return { ...child, path: found.path };
}

/** Roughly how much storing a graph takes, children included. */
function sizeOf(graph: Graph): number {
  let size = 0;
  for (const node of graph.nodes) {
    size += 64;
    for (const value of Object.values(node.rawAttributes)) size += String(value).length;
    if (node.kind === 'stack.manager_loop' && 'graph' in node.child) size += sizeOf(node.child.graph);
  }
  return size;
}
