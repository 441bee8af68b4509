import { type Bundle } from '../bundle/bundle.js';
import { type Diagnostic } from '../diagnostics/diagnostic.js';
import { quote } from '../diagnostics/wording.js';
import { kindOf } from '../graph/build-node.js';
import { type Draft, type DraftNode } from '../graph/draft.js';
import { type ChildWorkflow, type Graph } from '../graph/graph.js';
import { type SourceText } from '../source/source-text.js';
import { spanInside } from '../syntax/span-inside.js';

/** The rule that reports a child workflow that is not there or contains itself. */
export const CHILD_WORKFLOW = 'child_workflow';
/** Deeper than any workflow is nested, shallower than any stack. */
const MAX_DEPTH = 32;

/** A workflow that was compiled, and how much storing it takes, its children included. */
export interface CompiledChild {
  graph: Graph | undefined;
  diagnostics: Diagnostic[];
  size: number;
  /** Its own and those of its children. */
  nodes: number;
}

/** Compiles one source. `chain` are the sources it is nested in, the outermost first, its own included. */
export type CompileSource = (source: SourceText, chain: readonly SourceText[]) => CompiledChild;

/** What the manager loops of one draft run, by the id of the manager. */
export interface Children {
  byManager: Map<string, ChildWorkflow>;
  diagnostics: Diagnostic[];
  size: number;
  nodes: number;
}

/**
 * Compiles the workflows that manager loops run. Each file is compiled once, however many managers run it, and what is
 * wrong with it is reported once. A file that is not there is an error like one that cannot be read.
 */
export class ChildCompiler {
  private readonly compiled = new Map<SourceText, CompiledChild>();

  constructor(
    private readonly bundle: Bundle,
    private readonly compile: CompileSource,
  ) {}

  childrenOf(draft: Draft, chain: readonly SourceText[]): Children {
    const children: Children = { byManager: new Map(), diagnostics: [], size: 0, nodes: 0 };
    for (const node of draft.nodes.values()) {
      if (draft.state.outgrown) break;
      if (!node.declared || !namesChild(node) || kindOf(node).kind !== 'stack.manager_loop') continue;
      const child = this.inline(draft, node, chain) ?? this.fromFile(draft, node, chain);
      if (!child) continue;
      children.diagnostics.push(...child.diagnostics);
      if (!child.graph || !draft.state.mayCopy(child.size, node.span)) continue;
      children.size += child.size;
      children.nodes += child.nodes;
      if (!draft.state.mayExpand(children.nodes, 0, node.span)) break;
      children.byManager.set(node.id, { graph: child.graph, ...(child.path !== undefined && { path: child.path }) });
    }
    return children;
  }

  /** The source in an attribute. It stands in no file, so what is said about it points into the attribute. */
  private inline(draft: Draft, node: DraftNode, chain: readonly SourceText[]): NamedChild | undefined {
    const text = node.attributes.words('stack.child_dot_source');
    const literal = node.attributes.get('stack.child_dot_source')?.literal;
    if (text === undefined || !literal) return undefined;
    if (chain.length > MAX_DEPTH) return object(draft, node, 'is nested too deeply');
    const { sources } = draft.state;
    const source = sources.add(text);
    const child = this.compile(source, [...chain, source]);
    const diagnostics = child.diagnostics.map((diagnostic) => {
      if (diagnostic.path !== undefined) return diagnostic;
      const { start, end } = diagnostic.range;
      return { ...diagnostic, ...sources.placeOf(spanInside(sources, literal, start.offset, end.offset)) };
    });
    return { ...child, diagnostics };
  }

  private fromFile(draft: Draft, node: DraftNode, chain: readonly SourceText[]): NamedChild | undefined {
    const attribute = node.attributes.get('stack.child_workflow');
    const reference = node.attributes.words('stack.child_workflow')?.trim();
    if (!attribute || reference === undefined) return undefined;
    const found = this.bundle.resolve(reference, draft.state.sources.pathOf(attribute.literal.span));
    if ('problem' in found) return miss(draft, node, reference, found.problem);
    const { file, path } = found;
    if (chain.some((outer) => outer.path === path)) {
      const circle = [...chain.map((outer) => outer.path), path].slice(chain.findIndex((outer) => outer.path === path));
      return object(draft, node, `runs a workflow that contains it: ${circle.join(' -> ')}`);
    }
    if (chain.length > MAX_DEPTH) return object(draft, node, 'is nested too deeply');
    const known = this.compiled.get(file);
    if (known) return { ...known, diagnostics: [], path };
    const child = this.compile(file, [...chain, file]);
    this.compiled.set(file, child);
    return { ...child, path };
  }
}

function namesChild({ attributes }: DraftNode): boolean {
  return attributes.get('stack.child_workflow') !== undefined || attributes.get('stack.child_dot_source') !== undefined;
}

type NamedChild = CompiledChild & { path?: string };

function object({ state }: Draft, { id, attributes, span }: DraftNode, what: string): undefined {
  const at = attributes.get('stack.child_workflow')?.literal.span ?? span;
  const message = `The manager loop ${quote(id)} ${what}.`;
  state.find(CHILD_WORKFLOW, { message, span: at, nodeId: id });
}

function miss({ state }: Draft, { id, attributes, span }: DraftNode, reference: string, problem: string): undefined {
  const at = attributes.get('stack.child_workflow')?.literal.span ?? span;
  const message = `The manager loop ${quote(id)} runs the workflow ${quote(reference)}, ${problem}.`;
  state.find(CHILD_WORKFLOW, { message, span: at, nodeId: id });
}
