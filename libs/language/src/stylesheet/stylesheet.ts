/** What a style sheet is made of, in the order of the text. */
export interface Stylesheet {
  rules: StyleRule[];
  faults: StylesheetFault[];
}

/** `selector { property: value; … }` */
export interface StyleRule {
  selector: Selector;
  declarations: Declaration[];
}

/** The kinds of selectors; each wins over those before it. */
export const SELECTOR_KINDS = ['all', 'shape', 'class', 'id'] as const;
export type SelectorKind = (typeof SELECTOR_KINDS)[number];

/** Which nodes a rule is about, by name; all of them by the name `*`. */
export interface Selector {
  kind: SelectorKind;
  name: string;
}

/** `property: value` */
export interface Declaration {
  property: string;
  value: string;
  propertyAt: Stretch;
  valueAt: Stretch;
}

/** What is wrong, and where. */
export interface StylesheetFault {
  message: string;
  at: Stretch;
}

/** A stretch of the sheet's text. */
export interface Stretch {
  from: number;
  to: number;
}
