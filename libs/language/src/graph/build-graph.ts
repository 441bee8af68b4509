import { buildNode } from './build-node.js';
import { type ChildWorkflow, type Graph, type GraphAttributes, type Node } from './graph.js';
import { placeJoins } from './place-joins.js';
import { type DraftAttributes } from './draft-attribute.js';
import { type Draft, type DraftEdge } from './draft.js';
import { groupEdges, type EdgeGroups } from './edge-groups.js';
import { type Edge } from './edge.js';
import { fidelities } from './fidelity.js';
import { DIRECTIONS } from './node-values.js';
import { rawAttributes } from './raw-attributes.js';
import { setPresent } from './set-present.js';

const DEFAULT_STALL_TIMEOUT_MS = 1_800_000;
const DEFAULT_SIGNATURE_LIMIT = 3;

/**
 * Turns a draft into the graph it describes, with every default applied. What a draft leaves out or gets wrong is
 * filled with the default; it is for the rules to say so, and a graph they object to is given to nobody.
 */
export function buildGraph(draft: Draft, children: ReadonlyMap<string, ChildWorkflow> = new Map()): Graph {
  const edges = draft.edges.map(buildEdge);
  let ways: EdgeGroups | undefined;
  const outgoing = (id: string): readonly Edge[] => (ways ??= groupEdges(edges, 'from')).get(id) ?? [];
  const nodes: Node[] = [];
  for (const node of draft.nodes.values()) {
    if (!node.declared) continue;
    nodes.push(buildNode(node, outgoing, children.get(node.id)));
  }
  placeJoins(nodes, edges);
  return {
    name: draft.name,
    attributes: buildGraphAttributes(draft.attributes),
    rawAttributes: rawAttributes(draft.attributes),
    nodes,
    edges,
  };
}

function buildGraphAttributes(written: DraftAttributes): GraphAttributes {
  const limit = written.integer('loop_restart_signature_limit') ?? 0;
  const attributes: GraphAttributes = {
    goal: written.text('goal') ?? '',
    modelStylesheet: written.text('model_stylesheet') ?? '',
    defaultMaxRetries: Math.max(0, written.integer('default_max_retries') ?? 0),
    maxNodeVisits: Math.max(0, written.integer('max_node_visits') ?? 0),
    stallTimeoutMs: written.durationMs('stall_timeout') ?? DEFAULT_STALL_TIMEOUT_MS,
    loopRestartSignatureLimit: limit < 1 ? DEFAULT_SIGNATURE_LIMIT : limit,
  };
  setPresent(attributes, 'label', written.text('label'));
  setPresent(attributes, 'rankdir', written.oneOf('rankdir', DIRECTIONS));
  setPresent(attributes, 'defaultModel', written.words('default_model'));
  setPresent(attributes, 'defaultProvider', written.words('default_provider'));
  setPresent(attributes, 'retryTarget', written.words('retry_target'));
  setPresent(attributes, 'fallbackRetryTarget', written.words('fallback_retry_target'));
  setPresent(attributes, 'defaultFidelity', written.oneOf('default_fidelity', fidelities));
  setPresent(attributes, 'defaultThread', written.words('default_thread'));
  return attributes;
}

function buildEdge({ from, to, attributes }: DraftEdge, index: number): Edge {
  const edge: Edge = {
    from,
    to,
    weight: attributes.integer('weight') ?? 0,
    loopRestart: attributes.flag('loop_restart') ?? false,
    freeform: attributes.flag('freeform') ?? false,
    index,
  };
  setPresent(edge, 'label', attributes.text('label'));
  setPresent(edge, 'condition', attributes.words('condition'));
  setPresent(edge, 'fidelity', attributes.oneOf('fidelity', fidelities));
  setPresent(edge, 'threadId', attributes.words('thread_id'));
  return edge;
}
