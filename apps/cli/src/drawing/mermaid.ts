import type { Edge, Graph, HandlerKind } from '#libs/language';

/** What stands around the label of a node, by what the node does. */
const SHAPES: Readonly<Record<HandlerKind, readonly [before: string, after: string]>> = {
  start: ['([', '])'],
  exit: ['([', '])'],
  agent: ['[', ']'],
  prompt: ['(', ')'],
  command: ['[/', '/]'],
  human: ['{{', '}}'],
  conditional: ['{', '}'],
  parallel: ['[/', '\\]'],
  'parallel.fan_in': ['[\\', '/]'],
  wait: ['((', '))'],
  'stack.manager_loop': ['[[', ']]'],
};

/** A workflow as a Mermaid flowchart, for pages that draw such. A dashed edge begins the walk anew. */
export function mermaidOf(graph: Graph): string {
  // Ids of nodes can have dots, or be words of Mermaid's own.
  const names = new Map(graph.nodes.map(({ id }, index) => [id, `n${index}`]));
  const nodes = graph.nodes.map(({ id, label, kind }) => {
    const [before, after] = SHAPES[kind];
    return `  ${names.get(id)}${before}${text(label)}${after}`;
  });
  const edges = graph.edges.map((edge) => `  ${names.get(edge.from)} ${arrow(edge)} ${names.get(edge.to)}`);
  return [`flowchart ${graph.attributes.rankdir ?? 'TB'}`, ...nodes, ...edges, ''].join('\n');
}

function arrow({ label, condition, loopRestart }: Edge): string {
  const line = loopRestart ? '-.->' : '-->';
  const words = label ?? condition;
  return words === undefined ? line : `${line}|${text(words)}|`;
}

/** Whatever could mean something to Mermaid is written by its number. */
function text(label: string): string {
  const plain = label.trim().replace(/[^\p{L}\p{N} .,:!?+='-]/gu, (character) => `#${character.codePointAt(0)};`);
  return `"${plain}"`;
}
