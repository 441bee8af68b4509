import { parse, type Program } from '@huggingface/jinja';
import { quote } from '../../diagnostics/wording.js';
import { ParserTokens, type ParserToken } from './parser-tokens.js';
import { scanTemplate } from './scan-template.js';
import { type TemplateTag, type TagToken } from './tag.js';
import { withAssignments } from './with-assignments.js';
import { type TemplateFault, type TemplateText } from './template-text.js';

/** A template that was read. The includes of its tags are not. */
export interface Template {
  readonly program: Program;
  readonly includes: readonly Include[];
  /** Its own, without those of what it includes. */
  readonly tags: readonly TemplateTag[];
}

/** `{% include "file" %}` */
export interface Include {
  readonly tag: TemplateTag;
  readonly path: TagToken;
}

const BLOCKS: ReadonlySet<string> = new Set(['if', 'for', 'macro', 'call', 'filter', 'set', 'with']);
const KNOWN: ReadonlySet<string> = new Set([...BLOCKS, 'break', 'continue']);

/**
 * Reads a template. The tree keeps no places, so a comment before each tag names it in `tags`: comments are evaluated
 * like anything else, and what fails is in the tag that was named last. Throws a {@link TemplateFault}.
 */
export function readTemplate(text: TemplateText, tags: Map<string, TemplateTag>): Template {
  const tokens = new ParserTokens();
  const includes: Include[] = [];
  const own: TemplateTag[] = [];
  const open: TemplateTag[] = [];
  for (const piece of scanTemplate(text)) {
    if (typeof piece === 'string') {
      tokens.put('Text', piece);
      continue;
    }
    own.push(piece);
    const { keyword } = piece;
    if (keyword === 'include') includes.push(includeOf(piece));
    if (keyword === undefined || !continues(keyword)) tokens.put('Comment', nameOf(piece, tags));
    if (piece.kind === 'output') tokens.putOutput(piece);
    else putStatement(tokens, piece, open.at(-1));
    if (keyword === undefined) continue;
    if (opensBlock(piece, keyword)) open.push(piece);
    else if (keyword.startsWith('end') && open.at(-1)?.keyword === keyword.slice('end'.length)) open.pop();
  }
  return { program: parsed(text, tokens, open.at(-1)), includes, tags: own };
}

function putStatement(tokens: ParserTokens, tag: TemplateTag, innermost: TemplateTag | undefined): void {
  const { keyword } = tag;
  if (keyword === 'include') return;
  if (keyword === 'with') tokens.putScope(tag, withAssignments(tag));
  else if (keyword === 'endwith' && innermost?.keyword === 'with') tokens.putEndOfScope(tag);
  else tokens.putStatement(tag);
}

/** The rest of a block that was begun by another tag. */
function continues(keyword: string): boolean {
  return keyword === 'else' || keyword === 'elif' || keyword.startsWith('end');
}

/** `{% set x = 1 %}` is whole; `{% set x %}` begins a block. */
function opensBlock({ tokens }: TemplateTag, keyword: string): boolean {
  return BLOCKS.has(keyword) && (keyword !== 'set' || tokens.every(({ type }) => type !== 'Equals'));
}

function nameOf(tag: TemplateTag, tags: Map<string, TemplateTag>): string {
  const name = String(tags.size);
  tags.set(name, tag);
  return name;
}

function includeOf(tag: TemplateTag): Include {
  const [, path, ...rest] = tag.tokens;
  if (path?.type === 'StringLiteral' && rest.length === 0) return { tag, path };
  throw tag.within.fault('an include names one file, in quotes', tag);
}

function parsed(text: TemplateText, tokens: ParserTokens, unclosed: TemplateTag | undefined): Program {
  try {
    return parse(tokens.all);
  } catch (error) {
    const { reached } = tokens;
    if (error instanceof RangeError) {
      throw text.fault('it is nested too deeply', reached?.tag ?? { from: 0, to: text.text.length });
    }
    throw faultAt(text, reached, unclosed);
  }
}

/** What the parser has against it says little to an author, and nothing about where: it is the token it looked at last. */
function faultAt(
  text: TemplateText,
  reached: ParserToken | undefined,
  unclosed: TemplateTag | undefined,
): TemplateFault {
  const { tag, token } = reached ?? {};
  const keyword = token && token === tag?.tokens[0] ? tag.keyword : undefined;
  if (unclosed && (!tag || reached?.isLast || (keyword !== undefined && continues(keyword)))) {
    const opening = `{% ${unclosed.keyword} %}`;
    return text.fault(`${opening} is never closed by {% end${unclosed.keyword} %}`, unclosed);
  }
  const written = ({ from, to }: { from: number; to: number }): string => quote(text.text.slice(from, to));
  if (!tag) return text.fault('it is not complete', { from: 0, to: text.text.length });
  if (!token) return text.fault(`the tag ${written(tag)} is not complete`, tag);
  if (keyword === undefined || KNOWN.has(keyword)) return text.fault(`${written(token)} is not expected here`, token);
  return text.fault(`{% ${keyword} %} ${continues(keyword) ? 'closes nothing' : 'is no statement'}`, token);
}
