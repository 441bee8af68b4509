import { classesOf, kindOf } from '../graph/build-node.js';
import { type DraftAttribute, type DraftAttributes } from '../graph/draft-attribute.js';
import { type DraftNode } from '../graph/draft.js';
import { SELECTOR_KINDS, type Selector, type SelectorKind } from './stylesheet.js';

interface Style {
  attribute: DraftAttribute;
  specificity: number;
  /** Place in the sheet. */
  order: number;
}

/** One style for each attribute. */
type Styles = Map<string, Style>;

/** The styles of a sheet by what they select, so that a node meets only those that are about it. */
export class StyleIndex {
  private readonly byKind: Record<SelectorKind, Map<string, Styles>> = {
    all: new Map(),
    shape: new Map(),
    class: new Map(),
    id: new Map(),
  };
  private count = 0;

  /** To be called in the order of the sheet. */
  add({ kind, name }: Selector, attributes: DraftAttributes): void {
    const styles = this.byKind[kind].get(name) ?? new Map<string, Style>();
    const specificity = SELECTOR_KINDS.indexOf(kind);
    for (const attribute of attributes.all()) {
      styles.set(attribute.key, { attribute, specificity, order: this.count++ });
    }
    this.byKind[kind].set(name, styles);
  }

  /** What the sheet chooses for a node, each attribute once. */
  choose(node: DraftNode): DraftAttribute[] {
    const chosen: Styles = new Map();
    for (const styles of this.selecting(node)) {
      for (const [key, style] of styles ?? []) {
        const rival = chosen.get(key);
        if (!rival || winsOver(style, rival)) chosen.set(key, style);
      }
    }
    return Array.from(chosen.values(), ({ attribute }) => attribute);
  }

  private selecting(node: DraftNode): (Styles | undefined)[] {
    const { all, shape, class: classes, id } = this.byKind;
    const ofClasses = classes.size === 0 ? [] : classesOf(node).map((name) => classes.get(name));
    return [all.get('*'), shape.get(kindOf(node).shape), ...ofClasses, id.get(node.id)];
  }
}

function winsOver(style: Style, rival: Style): boolean {
  if (style.specificity !== rival.specificity) return style.specificity > rival.specificity;
  return style.order > rival.order;
}
