import { draftAttribute, DraftAttributes, type DraftAttribute } from '../graph/draft-attribute.js';
import { type Draft } from '../graph/draft.js';
import { type Span } from '../source/source-text.js';
import { spansInside } from '../syntax/span-inside.js';
import { parseStylesheet } from './parse-stylesheet.js';
import { type Declaration, type Stretch } from './stylesheet.js';
import { StyleIndex } from './style-index.js';

/** The rule that reports a style sheet that does not parse. */
export const STYLESHEET_SYNTAX = 'stylesheet_syntax';

/** What a style sheet may choose; other properties are passed over. */
const PROPERTIES: ReadonlySet<string> = new Set(['model', 'provider', 'reasoning_effort', 'speed', 'backend']);

/**
 * Writes what the graph's `model_stylesheet` says onto the nodes it selects, where they do not say it themselves: an id
 * wins over a class, a class over a shape, a shape over `*`; among equals the later declaration. What is written points
 * at the sheet. A faulty sheet is reported, and chooses nothing. Takes time linear in the sheet and in the nodes with
 * their classes.
 */
export function applyStylesheet(draft: Draft): void {
  const { state, attributes, nodes, styles } = draft;
  const written = attributes.get('model_stylesheet');
  const text = attributes.text('model_stylesheet');
  if (!written || text === undefined) return;

  const { rules, faults } = parseStylesheet(text);
  const spans = spansInside(state.sources, written.literal);
  const spanOf = ({ from, to }: Stretch) => spans(from, to);
  for (const { message, at } of faults) {
    state.find(STYLESHEET_SYNTAX, { message: `The style sheet does not parse: ${message}`, span: spanOf(at) });
  }
  if (faults.length > 0) return;

  const index = new StyleIndex();
  for (const { selector, declarations } of rules) {
    const used = declarations.filter(({ property }) => PROPERTIES.has(property));
    const rule = new DraftAttributes().put(used.map((declaration) => styleOf(declaration, spanOf)));
    index.add(selector, rule);
    styles.push(rule);
  }
  for (const node of nodes.values()) {
    const chosen = index.choose(node).filter(({ key }) => !node.attributes.get(key));
    node.attributes.put(chosen.filter(({ literal }) => state.mayCopy(literal.text.length, literal.span)));
  }
}

function styleOf({ property, value, propertyAt, valueAt }: Declaration, spanOf: (at: Stretch) => Span): DraftAttribute {
  const literal = { form: 'verbatim', text: value, span: spanOf(valueAt) } as const;
  return draftAttribute('node', { key: { text: property, span: spanOf(propertyAt) }, value: literal }, true);
}
