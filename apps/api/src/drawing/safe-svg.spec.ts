import { describe, expect, it } from '@jest/globals';
import { safeSvg } from './safe-svg.js';

const CAPTION = { title: 'Demo', description: '1 node, 0 edges.' };
const drawn = (inside: string): string =>
  `<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg width="8pt" height="9pt"\n viewBox="0.00 0.00 8.00 9.00" xmlns="x" xmlns:xlink="y">\n${inside}</svg>\n`;

describe('safeSvg', () => {
  it('keeps the shapes and says what the drawing shows', () => {
    const svg = safeSvg(
      drawn('<!-- a --><g id="node&#45;a" class="node"><title>a</title><text x="1">A &lt; B</text></g>'),
      {
        title: 'A & B',
        description: '<none>',
      },
    );
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" class="runyard-graph" role="img" width="8pt"/);
    expect(svg).toContain('\n<title>A &amp; B</title>\n<desc>&lt;none&gt;</desc>\n<style>');
    expect(svg).toMatch(/<\/style>\n<g id="node-a" class="node"><text x="1">A &lt; B<\/text><\/g>\n<\/svg>\n$/);
  });

  it.each([
    '<script>alert(1)</script>',
    '<a xlink:href="https://x"><text>a</text></a>',
    '<image href="x.png"/>',
    '<foreignObject></foreignObject>',
    '<style>*{}</style>',
    '<g onclick="alert(1)"></g>',
    '<text style="x">a</text>',
    '<polygon fill="url(#a)" href="x"/>',
    '<g id="a" id=x></g>',
    '<constructor></constructor>',
    '<![CDATA[x]]>',
    '<?php ?>',
    '<',
  ])('refuses %s', (inside) => {
    expect(() => safeSvg(drawn(inside), CAPTION)).toThrow('A drawing holds');
  });

  it('refuses what is no SVG', () => {
    expect(() => safeSvg('<html></html>', CAPTION)).toThrow('no SVG');
  });
});
