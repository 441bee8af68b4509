import { quote } from '../diagnostics/wording.js';
import { classNames } from '../graph/build-node.js';
import { DraftAttributes, withText } from '../graph/draft-attribute.js';
import { type Draft, type DraftEdge, type DraftNode } from '../graph/draft.js';
import { semanticAttribute, type Body } from './imported-body.js';
import { IMPORT_ERROR, PLACEHOLDER_DEFAULTS } from './placeholder.js';

/** Attributes that name another node of the same workflow. */
const NODE_REFERENCES = ['retry_target', 'fallback_retry_target', 'human.default_choice'];
/** What a copied node or edge takes beside its texts. */
const COPY_SIZE = 64;

/** Replaces placeholders by the bodies they stand for. Nodes keep the place of their placeholder in the order. */
export function splice(draft: Draft, bodies: ReadonlyMap<DraftNode, Body>): void {
  const { state } = draft;
  if (!mayHold(draft, bodies)) return;
  const borders = new Map<string, { entry: string; last: string }>();
  const bypassed: DraftNode[] = [];
  const nodes: DraftNode[] = [];
  const edges: DraftEdge[] = [];
  for (const node of draft.nodes.values()) {
    const body = bodies.get(node);
    if (!body) {
      nodes.push(node);
      continue;
    }
    const inside = (id: string): string => `${node.id}.${id}`;
    if (body.border) borders.set(node.id, { entry: inside(body.border.entry), last: inside(body.border.last) });
    else bypassed.push(node);
    for (const copied of body.nodes) {
      const size = COPY_SIZE + node.id.length + copied.id.length + copied.attributes.textSize;
      if (state.mayCopy(size, node.span)) nodes.push(imported(copied, node, inside));
    }
    for (const { from, to, span, attributes } of body.edges) {
      if (!state.mayCopy(COPY_SIZE, node.span)) break;
      edges.push({ from: inside(from), to: inside(to), span, attributes });
    }
  }
  const outer = draft.edges.map((edge) => connected(draft, edge, borders));
  draft.edges = [...outer, ...edges];
  for (const node of bypassed) bypass(draft, node);
  draft.nodes = new Map(nodes.map((node) => [node.id, node]));
  for (const { attributes } of [draft, ...nodes]) redirect(attributes, (id) => borders.get(id)?.entry ?? id);
}

/** Whether the graph keeps its bounds with the bodies in it; asked before anything is copied. */
function mayHold({ state, nodes, nameSpan }: Draft, bodies: ReadonlyMap<DraftNode, Body>): boolean {
  let count = nodes.size;
  for (const [placeholder, body] of bodies) {
    count += body.nodes.length - 1;
    if (!state.mayExpand(count, body.nodes.length + body.edges.length, placeholder.span)) return false;
  }
  return state.mayExpand(count, 0, nameSpan);
}

/** A node of the body under its new name, with what the placeholder gives to it. */
function imported(node: DraftNode, placeholder: DraftNode, inside: (id: string) => string): DraftNode {
  const attributes = new DraftAttributes(node.attributes);
  redirect(attributes, inside);
  for (const key of PLACEHOLDER_DEFAULTS) {
    const given = placeholder.attributes.get(key);
    if (given && !attributes.get(key)) attributes.put([given]);
  }
  const ofPlaceholder = [
    ...(placeholder.subgraphClasses ?? []),
    ...classNames(placeholder.attributes),
    placeholder.id.toLowerCase().replace(/[^a-z0-9-]/g, ''),
  ];
  return {
    ...node,
    id: inside(node.id),
    attributes,
    importClasses: [...(node.importClasses ?? []), ...ofPlaceholder.filter((name) => name !== '')],
  };
}

function redirect(attributes: DraftAttributes, rename: (id: string) => string): void {
  for (const key of NODE_REFERENCES) {
    const attribute = attributes.get(key);
    const id = attributes.words(key);
    if (!attribute || id === undefined) continue;
    const renamed = rename(id);
    if (renamed !== id) attributes.put([withText(attribute, renamed)]);
  }
}

function connected(
  draft: Draft,
  edge: DraftEdge,
  borders: ReadonlyMap<string, { entry: string; last: string }>,
): DraftEdge {
  const [out, into] = [borders.get(edge.from), borders.get(edge.to)];
  if (!out && !into) return edge;
  if (edge.from === edge.to) objectToLoop(draft, edge);
  return { ...edge, from: out?.last ?? edge.from, to: into?.entry ?? edge.to };
}

/** Joins what leads to an empty import with what leads away from it. */
function bypass(draft: Draft, { id, span }: DraftNode): void {
  const { state } = draft;
  const [into, out] = [draft.edges.filter(({ to }) => to === id), draft.edges.filter(({ from }) => from === id)];
  const loop = into.find(({ from }) => from === id);
  if (loop) return objectToLoop(draft, loop);
  for (const edge of [...into, ...out]) {
    const key = semanticAttribute(edge);
    if (key === undefined) continue;
    const message = `The workflow that ${quote(id)} imports is empty, so the edge ${edge.from} -> ${edge.to} has no end; its ${key} would be lost.`;
    state.find(IMPORT_ERROR, { message, span: edge.span, edge: { from: edge.from, to: edge.to } });
  }
  const edges: DraftEdge[] = [];
  for (const edge of draft.edges) {
    if (edge.from === id) continue;
    if (edge.to !== id) edges.push(edge);
    else if (state.mayCopy(COPY_SIZE * out.length, span)) edges.push(...out.map(({ to }) => ({ ...edge, to })));
  }
  draft.edges = state.mayCopy(draft.edges.length, span) ? edges : [];
}

function objectToLoop({ state }: Draft, { from, span }: DraftEdge): void {
  const message = `Import placeholder ${quote(from)} has an edge to itself; it stands for several nodes.`;
  state.find(IMPORT_ERROR, { message, span, nodeId: from });
}
