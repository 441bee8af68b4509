import { type Graph as Picture } from '@viz-js/viz';
import { type StageStatus } from '#libs/events';
import { type Direction, type Edge, type Graph, type HandlerKind, type Node } from '#libs/language';
import { EDGE, KIND_PAINT, STATE_PAINT } from './colours.js';
import { labelOf, type Room } from './label.js';
import { STATE_SIGN } from './signs.js';
import { kindClass, stateClass } from './style-sheet.js';

type DrawnNode = NonNullable<Picture['nodes']>[number];
type DrawnEdge = NonNullable<Picture['edges']>[number];

/** The latest state of every node that a run came to. */
export type NodeStates = ReadonlyMap<string, StageStatus>;

/** The shapes by which authors know the kinds; that of `wait` leaves no room for a label. */
const SHAPES: Readonly<Record<HandlerKind, string>> = {
  start: 'Mdiamond',
  exit: 'Msquare',
  agent: 'box',
  prompt: 'tab',
  command: 'parallelogram',
  human: 'hexagon',
  conditional: 'diamond',
  parallel: 'component',
  'parallel.fan_in': 'tripleoctagon',
  wait: 'ellipse',
  'stack.manager_loop': 'house',
};

const NODE_ROOM: Room = { width: 24, lines: 4 };
const EDGE_ROOM: Room = { width: 32, lines: 3 };
/** Nodes and edges of a graph that is laid out as well as can be; in larger ones curves around labels take minutes. */
const SMALL_GRAPH = 150;
const LESS_EFFORT = { nslimit: 2, nslimit1: 2, mclimit: 0.5, splines: 'line' };

/**
 * What Graphviz is to lay out. An author's text becomes nothing but label text; pages find nodes as `node-<id>` and edges
 * as `edge-<index>`. With the states of a run the nodes show them; without, what kind they are.
 */
export function pictureOf(graph: Graph, direction?: Direction, states?: NodeStates): Picture {
  const ids = new Set(graph.nodes.map(({ id }) => id));
  return {
    directed: true,
    graphAttributes: {
      rankdir: direction ?? graph.attributes.rankdir ?? 'TB',
      bgcolor: 'transparent',
      nodesep: 0.4,
      ranksep: 0.5,
      ...(graph.nodes.length + graph.edges.length > SMALL_GRAPH && LESS_EFFORT),
    },
    nodeAttributes: { fontname: 'Arial', fontsize: 12, margin: '0.2,0.1' },
    edgeAttributes: {
      fontname: 'Arial',
      fontsize: 10,
      arrowsize: 0.7,
      color: EDGE.line[0],
      fontcolor: EDGE.text[0],
    },
    nodes: graph.nodes.map((node) => drawnNode(node, states && (states.get(node.id) ?? 'pending'))),
    edges: [...graph.edges.map(drawnEdge), ...graph.nodes.flatMap((node) => drawnRetry(node, ids))],
  };
}

function drawnNode({ id, kind, label, goalGate }: Node, state?: StageStatus): DrawnNode {
  const { fill, line, text } = state ? STATE_PAINT[state] : KIND_PAINT[kind];
  const sign = state ? STATE_SIGN[state] : '';
  const isOpen = state === 'pending';
  return {
    name: id,
    attributes: {
      id: `node-${id}`,
      class: state ? `${kindClass(kind)} ${stateClass(state)}` : kindClass(kind),
      label: `${sign} ${labelOf(label, NODE_ROOM)}`.trim(),
      shape: SHAPES[kind],
      style: ['filled', ...(kind === 'agent' ? ['rounded'] : []), ...(isOpen ? ['dashed'] : [])].join(),
      fillcolor: fill[0],
      color: line[0],
      fontcolor: text[0],
      penwidth: state && !isOpen ? 2 : 1,
      ...(goalGate && { peripheries: 2 }),
    },
  };
}

function drawnEdge({ from, to, index, label, condition, loopRestart }: Edge): DrawnEdge {
  const text = labelOf(label ?? condition ?? '', EDGE_ROOM);
  return {
    tail: from,
    head: to,
    attributes: {
      id: `edge-${index}`,
      ...(text !== '' && { label: ` ${text} ` }),
      ...(loopRestart && { style: 'dashed' }),
    },
  };
}

/** Where the run goes back to when the node does not reach its goal; it does not push its target down. */
function drawnRetry({ id, retryTarget }: Node, ids: ReadonlySet<string>): DrawnEdge[] {
  if (retryTarget === undefined || !ids.has(retryTarget)) return [];
  return [
    {
      tail: id,
      head: retryTarget,
      attributes: {
        id: `retry-${id}`,
        label: ' retry ',
        style: 'dotted',
        constraint: false,
        arrowhead: 'empty',
      },
    },
  ];
}
