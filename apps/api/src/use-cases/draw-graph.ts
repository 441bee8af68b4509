import { instance, type Viz } from '@viz-js/viz';
import type { Graph } from '#libs/language';

let viz: Promise<Viz> | undefined;

/**
 * A drawing of the graph as SVG, made by Graphviz from the compiled graph alone: what an author wrote reaches it only
 * as text of labels, so it holds no link, no image and no script.
 */
export async function drawGraph(graph: Graph, direction?: 'LR' | 'TB' | 'BT' | 'RL'): Promise<string> {
  viz ??= instance();
  const drawing = (await viz).render(
    {
      name: graph.name,
      directed: true,
      graphAttributes: { rankdir: direction ?? graph.attributes.rankdir ?? 'TB', bgcolor: 'transparent' },
      nodeAttributes: { fontname: 'sans-serif', fontsize: 12, color: '#64748b', fontcolor: '#64748b' },
      edgeAttributes: { fontname: 'sans-serif', fontsize: 10, color: '#94a3b8', fontcolor: '#64748b' },
      nodes: graph.nodes.map(({ id, label, shape }) => ({ name: id, attributes: { label, shape, id: `node-${id}` } })),
      edges: graph.edges.map(({ from, to, label, condition }) => ({
        tail: from,
        head: to,
        attributes: { label: label ?? condition ?? '' },
      })),
    },
    { format: 'svg' },
  );
  if (drawing.status === 'failure') throw new Error(drawing.errors.map(({ message }) => message).join('; '));
  return drawing.output;
}
