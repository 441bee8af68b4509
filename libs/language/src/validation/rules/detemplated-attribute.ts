import { referencedPath } from '../../bundle/inline-files.js';
import { type Finding } from '../../diagnostics/finding.js';
import { quote } from '../../diagnostics/wording.js';
import { type DraftAttribute, type DraftAttributes } from '../../graph/draft-attribute.js';
import { type Rule } from '../rule.js';

/** These are rendered, hold a workflow with prompts of its own, or refer to files, where it is an error. */
const OTHERS: ReadonlySet<string> = new Set([
  'graph goal',
  'node prompt',
  'node script',
  'node import',
  'node stack.child_workflow',
  'node stack.child_dot_source',
]);

/** Template syntax where nothing is rendered. Reported once where it is written, however many nodes it is for. */
export const detemplatedAttribute: Rule = {
  id: 'detemplated_attribute',
  severity: 'warning',
  *check({ draft }) {
    if (!draft.hasBraces) return;
    const reported = new Set<DraftAttribute>();
    yield* literalsIn(draft.attributes, reported);
    for (const { id, attributes } of draft.nodes.values()) {
      for (const finding of literalsIn(attributes, reported)) yield { ...finding, nodeId: id };
    }
    for (const { from, to, attributes } of draft.edges) {
      for (const finding of literalsIn(attributes, reported)) yield { ...finding, edge: { from, to } };
    }
  },
};

function* literalsIn(attributes: DraftAttributes, reported: Set<DraftAttribute>): Iterable<Finding> {
  for (const attribute of attributes.all()) {
    if (!isTemplate(attribute) || reported.has(attribute)) continue;
    reported.add(attribute);
    const { owner, key, literal } = attribute;
    const message = `The ${owner} attribute ${key} is no template: ${quote(literal.text)} is taken as it is written.`;
    yield { message, span: literal.span, fix: 'Templates are rendered in the goal, in prompts and in scripts only.' };
  }
}

function isTemplate({ owner, key, literal: { form, text } }: DraftAttribute): boolean {
  if (form !== 'quoted' || !text.includes('{')) return false;
  if (OTHERS.has(`${owner} ${key}`) || (key === 'output_schema' && referencedPath(text) !== undefined)) return false;
  return isBetween(text, '{{', '}}') || isBetween(text, '{%', '%}');
}

function isBetween(text: string, opening: string, closing: string): boolean {
  const at = text.indexOf(opening);
  return at !== -1 && text.includes(closing, at + opening.length);
}
