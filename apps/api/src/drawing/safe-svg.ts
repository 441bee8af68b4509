import { InvariantError } from '#libs/kernel';
import { DRAWING_CLASS, STYLE_SHEET } from './style-sheet.js';

const STROKES = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray'];

/** All that a drawing is made of. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  g: ['id', 'class', 'transform'],
  polygon: [...STROKES, 'points'],
  polyline: [...STROKES, 'points'],
  path: [...STROKES, 'd'],
  ellipse: [...STROKES, 'cx', 'cy', 'rx', 'ry'],
  text: ['xml:space', 'text-anchor', 'x', 'y', 'font-family', 'font-size', 'fill'],
};

const ROOT = /<svg width="(?<width>[\d.]+pt)" height="(?<height>[\d.]+pt)"\s+viewBox="(?<viewBox>[\d. -]+)"[^>]*>/;
const TAG = /<(?<closing>\/?)(?<name>[\w:]+)(?<attributes>(?:\s+[\w:-]+="[^"<>]*")*)\s*(?:\/)?>/y;

/** What a drawing says to those who do not see it. */
export interface Caption {
  title: string;
  description: string;
}

/**
 * The drawing that Graphviz made, as it may stand in a page: its own title, our style sheet, and no element and no
 * attribute that is not known to be harmless. Throws where it finds one.
 */
export function safeSvg(drawn: string, { title, description }: Caption): string {
  const root = ROOT.exec(drawn);
  const end = drawn.lastIndexOf('</svg>');
  if (!root?.groups || end === -1) throw new InvariantError('Graphviz drew something that is no SVG.');
  const { width, height, viewBox } = root.groups;
  const inside = drawn
    .slice(root.index + root[0].length, end)
    .replace(/<!--.*?-->\n?/gs, '')
    .replace(/<title>[^<]*<\/title>\n?/g, '')
    .replace(/&#45;/g, '-');
  refuseUnknown(inside);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="${DRAWING_CLASS}" role="img" width="${width}" height="${height}" viewBox="${viewBox}">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(description)}</desc>`,
    `<style>${STYLE_SHEET}</style>`,
    `${inside.trim()}`,
    '</svg>',
    '',
  ].join('\n');
}

function refuseUnknown(svg: string): void {
  for (let at = svg.indexOf('<'); at !== -1; at = svg.indexOf('<', at + 1)) {
    TAG.lastIndex = at;
    const { name = '', attributes = '' } = TAG.exec(svg)?.groups ?? {};
    const allowed = Object.hasOwn(ALLOWED, name) ? ALLOWED[name]! : undefined;
    const strange = allowed && [...attributes.matchAll(/([\w:-]+)="/g)].find(([, key]) => !allowed.includes(key!));
    if (!allowed || strange) throw new InvariantError(`A drawing holds ${svg.slice(at, at + 80)}.`);
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
