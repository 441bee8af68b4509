import { classesOf, kindOf } from '../graph/build-node.js';
import { draftAttribute, type DraftAttribute } from '../graph/draft-attribute.js';
import { type Draft, type DraftNode } from '../graph/draft.js';
import { spanInside } from '../source/span-inside.js';
import { type Literal } from '../syntax/tree.js';
import { parseStylesheet } from './parse-stylesheet.js';
import { PROPERTIES, type Declaration, type Selector, type Stretch } from './stylesheet.js';

/** The rule that reports a style sheet that does not parse. */
export const STYLESHEET_SYNTAX = 'stylesheet_syntax';

/**
 * Writes what the graph's `model_stylesheet` says onto the nodes it selects, where they do not say it themselves: an id
 * wins over a class, a class over a shape, a shape over `*`; among equals the later declaration. Takes time linear in
 * the sheet and in the nodes with their classes. A faulty sheet is reported, and not applied.
 */
export function applyStylesheet(draft: Draft): void {
  const written = draft.attributes.get('model_stylesheet');
  const text = draft.attributes.text('model_stylesheet');
  if (!written || text === undefined || text.trim() === '') return;

  const { declarations, faults } = parseStylesheet(text);
  const at = ({ from, to }: Stretch) => spanInside(draft.state.sources, written.literal, from, to);
  for (const fault of faults) {
    draft.state.find(STYLESHEET_SYNTAX, {
      message: `The style sheet does not parse: ${fault.message}`,
      span: at(fault),
    });
  }
  if (faults.length > 0) return;

  const choices = new Choices();
  for (const declaration of declarations) {
    const { property, value, propertyAt, valueAt } = declaration;
    const literal: Literal = { form: 'verbatim', text: value, span: at(valueAt) };
    const attribute = draftAttribute('node', { key: { text: property, span: at(propertyAt) }, value: literal }, true);
    choices.add(declaration, attribute);
    draft.styles.push(attribute);
  }
  for (const node of draft.nodes.values()) if (node.declared) choose(draft, node, choices);
}

function choose({ state }: Draft, node: DraftNode, choices: Choices): void {
  for (const property of PROPERTIES) {
    if (node.attributes.get(property)) continue;
    const chosen = choices.find(node, property);
    if (chosen && state.mayCopy(chosen.literal.text.length, chosen.literal.span)) node.attributes.put([chosen]);
  }
}

interface Choice {
  attribute: DraftAttribute;
  /** Place in the sheet. */
  order: number;
}

/** The declarations of a sheet by what they select: the last for each selector and property. */
class Choices {
  private readonly byKey = new Map<string, Choice>();
  private count = 0;

  add({ selector, property }: Declaration, attribute: DraftAttribute): void {
    this.byKey.set(keyOf(selector, property), { attribute, order: this.count++ });
  }

  find(node: DraftNode, property: string): DraftAttribute | undefined {
    const { shape } = kindOf(node);
    const choice =
      this.byKey.get(keyOf({ type: 'id', name: node.id }, property)) ??
      this.ofClasses(classesOf(node), property) ??
      this.byKey.get(keyOf({ type: 'shape', name: shape }, property)) ??
      this.byKey.get(keyOf({ type: 'all' }, property));
    return choice?.attribute;
  }

  private ofClasses(names: readonly string[], property: string): Choice | undefined {
    let last: Choice | undefined;
    for (const name of names) {
      const choice = this.byKey.get(keyOf({ type: 'class', name }, property));
      if (choice && choice.order > (last?.order ?? -1)) last = choice;
    }
    return last;
  }
}

function keyOf(selector: Selector, property: string): string {
  return `${property} ${selector.type} ${'name' in selector ? selector.name : ''}`;
}
