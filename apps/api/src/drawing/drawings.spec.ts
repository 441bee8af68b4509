import { describe, expect, it } from '@jest/globals';
import { type StageStatus } from '#libs/events';
import { compile, type Graph } from '#libs/language';
import { drawingFromSource } from '../../../../test/support/program-from-source.js';
import { NoPlaceError } from '#libs/isolation';
import { Drawings } from './drawings.js';
import { GraphTooLargeError } from './errors.js';

const drawings = new Drawings(drawingFromSource());
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
    const some = many.slice(0, 1_900);
    const edges = Array.from({ length: 3_200 }, () => rest.edges[0]!);
    await expect(drawings.draw({ ...rest, nodes: some, edges })).rejects.toThrow('6000000 as the product of both');
  });

  it('is made once for all who ask for the same, and again for another', async () => {
    const made = new Drawings(drawingFromSource(), { atOnce: 1, mayWait: 1 });
    const [one, same, other] = ['Same', 'Same', 'Other'].map((label) => made.draw(graphOf(label)));
    await expect(made.draw(graphOf('One more'))).rejects.toThrow(NoPlaceError);
    expect(await one).toBe(await same);
    expect(await other).not.toBe(await one);
    made.close();
    expect(await made.draw(graphOf('Same'))).toBe(await one);
    await expect(made.draw(graphOf('One more'))).rejects.toThrow('stopping');
  });

  it('that takes more memory than it may is refused', async () => {
    const small = new Drawings(drawingFromSource(), { wasmMb: 24 });
    const { nodes, edges, ...rest } = graphOf('x');
    const many = Array.from({ length: 600 }, (_, i) => ({ ...nodes[0]!, id: `n${i}` }));
    const ends = (i: number): [number, number] => (i < 599 ? [i, i + 1] : [i % 600, (i * 7919) % 600]);
    const tangled = Array.from({ length: 1_800 }, (_, i) => ({
      ...edges[0]!,
      from: `n${ends(i)[0]}`,
      to: `n${ends(i)[1]}`,
    }));
    const drawn = await small.draw({ ...rest, nodes: many, edges: tangled }).catch((thrown: unknown) => thrown);
    expect(drawn).toBeInstanceOf(GraphTooLargeError);
    expect(String(drawn)).toContain('Move parts of it into sub-workflows');
  });
});
