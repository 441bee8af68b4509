import { type TemplateTag, type TagToken } from './tag.js';

/** `name = value` of a `{% with %}`. */
export interface WithAssignment {
  name: TagToken;
  value: readonly TagToken[];
}

/** What a `{% with … %}` assigns. Throws a {@link TemplateFault} when it is anything else. */
export function withAssignments(tag: TemplateTag): WithAssignment[] {
  const parts: TagToken[][] = [];
  let depth = 0;
  for (const token of tag.tokens.slice(1)) {
    if (/^Open/.test(token.type)) depth++;
    if (/^Close/.test(token.type)) depth--;
    if (parts.length === 0 || (depth === 0 && token.type === 'Comma')) parts.push([]);
    if (depth > 0 || token.type !== 'Comma') parts.at(-1)!.push(token);
  }
  return parts.map(([name, equals, ...value]) => {
    if (name?.type !== 'Identifier' || equals?.type !== 'Equals' || value.length === 0) {
      throw tag.within.fault('{% with %} takes name = value, or several of them with commas', name ?? tag);
    }
    return { name, value };
  });
}
