import { kindOf } from '../graph/build-node.js';
import { type HandlerKind } from '../graph/handler-kind.js';
import { type Draft, type DraftEdge, type DraftNode } from '../graph/draft.js';
import { type Span } from '../source/source-text.js';
import { IMPORT_ERROR } from './placeholder.js';

/** What of an imported workflow takes the place of a placeholder: all but its start and its exit. */
export interface Body {
  nodes: DraftNode[];
  edges: DraftEdge[];
  /** Where a run comes in and goes out; `undefined` when there is nothing between start and exit. */
  border: { entry: string; last: string } | undefined;
}

const SEMANTIC = ['condition', 'label', 'weight', 'fidelity', 'thread_id', 'loop_restart', 'freeform'];

/** An attribute by which an edge is more than a line: it would be lost with the edge. */
export function semanticAttribute({ attributes }: DraftEdge): string | undefined {
  return SEMANTIC.find((key) => attributes.get(key) !== undefined);
}

/** The body of a workflow that can be imported; what keeps it from that is recorded. */
export function bodyOf(draft: Draft): Body | undefined {
  const object = (message: string, span: Span): undefined => {
    draft.state.find(IMPORT_ERROR, { message: `An imported workflow ${message}`, span });
  };
  const only = (kind: HandlerKind): DraftNode | undefined => {
    const [first, second] = [...draft.nodes.values()].filter((node) => node.declared && kindOf(node).kind === kind);
    if (first && !second) return first;
    return object(`must have exactly one ${kind} node.`, second?.span ?? draft.nameSpan);
  };
  const start = only('start');
  const exit = only('exit');
  if (!start || !exit) return undefined;

  const [entering, besidesEntering] = draft.edges.filter(({ from }) => from === start.id);
  const [leaving, besidesLeaving] = draft.edges.filter(({ to }) => to === exit.id);
  const intoStart = draft.edges.find(({ to }) => to === start.id);
  const outOfExit = draft.edges.find(({ from }) => from === exit.id);
  if (intoStart) return object('must have no edge into its start.', intoStart.span);
  if (outOfExit) return object('must have no edge out of its exit.', outOfExit.span);
  if (!entering || besidesEntering) {
    return object('must have exactly one edge out of its start.', (besidesEntering ?? start).span);
  }
  if (!leaving || besidesLeaving) {
    return object('must have exactly one edge into its exit.', (besidesLeaving ?? exit).span);
  }
  for (const edge of new Set([entering, leaving])) {
    const key = semanticAttribute(edge);
    if (key !== undefined) return object(`is entered and left by plain edges; this one has ${key}.`, edge.span);
  }
  return {
    nodes: [...draft.nodes.values()].filter((node) => node !== start && node !== exit),
    edges: draft.edges.filter((edge) => edge !== entering && edge !== leaving),
    border: entering === leaving ? undefined : { entry: entering.to, last: leaving.from },
  };
}
