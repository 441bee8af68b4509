import { scanTag } from './scan-tag.js';
import { TemplateTag } from './tag.js';
import { type TemplateText } from './template-text.js';

/** Plain text, or a tag. */
export type TemplatePiece = string | TemplateTag;

const OPENING = /\{([{%#])([-+]?)/g;
const RAW = /\{%[-+]?\s*raw\s*([-+]?)%\}/y;
const END_OF_RAW = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const END_OF_COMMENT = /([-+]?)#\}/g;

/**
 * Cuts a template into text and tags. Comments are left out, raw blocks are text, and a hyphen at the inside of a tag
 * takes away the space at its outside. Throws a {@link TemplateFault}.
 */
export function scanTemplate(template: TemplateText): TemplatePiece[] {
  return new Scan(template).pieces();
}

class Scan {
  private readonly found: TemplatePiece[] = [];
  private at = 0;
  private trimsNext = false;

  constructor(private readonly template: TemplateText) {}

  pieces(): TemplatePiece[] {
    // The newline at the end of a file does not belong to what it says.
    const text = this.template.text.replace(/\r?\n$/, '');
    for (let opening = find(OPENING, text, 0); opening; opening = find(OPENING, text, this.at)) {
      const { index } = opening;
      const [written, sign, trim] = opening;
      this.text(text.slice(this.at, index), trim!);
      if (sign === '#') this.comment(index, index + written.length);
      else if (sign !== '%' || !this.raw(index)) this.tag(sign === '{' ? 'output' : 'statement', index, written.length);
    }
    this.text(text.slice(this.at), '');
    return this.found;
  }

  private text(text: string, trim: string): void {
    const begun = this.trimsNext ? text.trimStart() : text;
    const piece = trim === '-' ? begun.trimEnd() : begun;
    if (piece !== '') this.found.push(piece);
  }

  private tag(kind: 'output' | 'statement', from: number, length: number): void {
    const { tokens, closing, end } = scanTag(this.template, kind, from + length);
    this.found.push(new TemplateTag(kind, this.template, from, end, tokens));
    this.goOn(end, closing);
  }

  private comment(from: number, inside: number): void {
    const end = find(END_OF_COMMENT, this.template.text, inside);
    if (!end) throw this.template.fault('this comment is never closed by #}', { from, to: inside });
    this.goOn(END_OF_COMMENT.lastIndex, end[0]);
  }

  /** Takes in a raw block, if one begins here. */
  private raw(from: number): boolean {
    const { text } = this.template;
    const begin = find(RAW, text, from);
    if (!begin) return false;
    const inside = RAW.lastIndex;
    const end = find(END_OF_RAW, text, inside);
    if (!end) throw this.template.fault('{% raw %} is never closed by {% endraw %}', { from, to: inside });
    this.trimsNext = begin[1] === '-';
    this.text(text.slice(inside, end.index), end[1]!);
    this.goOn(END_OF_RAW.lastIndex, end[2]!);
    return true;
  }

  private goOn(at: number, closing: string): void {
    this.at = at;
    this.trimsNext = closing.startsWith('-');
  }
}

function find(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}
