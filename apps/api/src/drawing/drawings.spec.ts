import { describe, expect, it } from '@jest/globals';
import { type StageStatus } from '#libs/events';
import { compile, type Graph } from '#libs/language';
import { layoutFromSource } from '../../../../test/support/layout-from-source.js';
import { Drawings } from './drawings.js';

const drawings = new Drawings(layoutFromSource());
const HOSTILE = [
  '</text><script>alert(1)</script>',
  '"><image href="https://example.com/x.png"/>',
  "' onload='alert(1)",
  '<b>bold</b>',
  '<td href="javascript:alert(1)">x</td>',
  ']]><!--',
  '&lt;script&gt; &#60;x&#62;',
  String.raw`\N \G" URL="javascript:alert(1)`,
  '\u0000\u001b[31m\u202e',
  '{ <port> record | fields }',
];

function graphOf(label: string): Graph {
  const { graph } = compile('digraph Demo { start [shape=Mdiamond] exit [shape=Msquare] start -> exit [label=x] }');
  const [start, exit] = graph!.nodes;
  return { ...graph!, nodes: [{ ...start!, label }, exit!], edges: [{ ...graph!.edges[0]!, label }] };
}

/** The texts that a reader sees. */
function textsIn(svg: string): string[] {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) =>
    text!.replace(/&(#?\w+);/g, (_, name: string) => entities[name] ?? '?'),
  );
}

describe('a drawing', () => {
  it.each(HOSTILE)('shows %j as the text it is', async (label) => {
    const svg = await drawings.draw(graphOf(label));
    const elements = new Set([...svg.matchAll(/<(\w+)/g)].map(([, name]) => name));
    const harmless = ['svg', 'title', 'desc', 'style', 'g', 'polygon', 'polyline', 'path', 'ellipse', 'text'];
    expect([...elements].filter((name) => !harmless.includes(name!))).toEqual([]);
    expect(svg).not.toMatch(/<[^>]*\s(?:on\w+|href|xlink:href|style|src)\s*=/);
    const shown = textsIn(svg).map((text) => text.trim());
    const written = label
      .replace(/[\u0000-\u001f\u202e]+/g, ' ')
      .trim()
      .replace(/\s+/g, ' ');
    expect(shown.join(' ').replace(/\s+/g, ' ')).toContain(written);
  });

  it('is about the workflow, in words too, and names every node', async () => {
    const states = new Map<string, StageStatus>([
      ['start', 'succeeded'],
      ['exit', 'partially_succeeded'],
    ]);
    const svg = await drawings.draw(graphOf('Begin'), { direction: 'LR', states });
    expect(svg).toContain('role="img"');
    expect(svg).toContain('<title>Demo</title>\n<desc>2 nodes, 1 edge. 1 succeeded, 1 partially succeeded.</desc>');
    expect(svg).toContain('<g id="node-start" class="node kind-start state-succeeded">');
    expect(svg).toContain('>✓ Begin</text>');
  });

  it('of more than can be read is refused', async () => {
    const { nodes, ...rest } = graphOf('x');
    const many = Array.from({ length: 2_001 }, (_, i) => ({ ...nodes[0]!, id: `n${i}` }));
    await expect(drawings.draw({ ...rest, nodes: many })).rejects.toThrow('2001 nodes and 1 edges; at most 2000');
  });
});
